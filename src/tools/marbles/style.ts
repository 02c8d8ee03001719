/** The look of the element. It follows the `color-scheme` of the page. */
export const STYLE = `
:host { display: block; font: 13px/1.4 system-ui, sans-serif; color: light-dark(#1f2328, #e6edf3) }
:host([hidden]) { display: none }
svg { display: block; width: 100%; overflow: hidden; border-block: 1px solid light-dark(#d0d7de, #30363d) }
svg text { font: 12px system-ui, sans-serif; fill: currentColor }
.legend { display: flex; flex-wrap: wrap; gap: 2px 14px; padding: 4px 0; font-size: 12px }
.legend span { display: inline-flex; align-items: center; gap: 5px; min-width: 0; overflow-wrap: anywhere }
.legend i { width: 18px; height: 10px; border-radius: 3px; background: light-dark(#8c959f, #8b949e) }
.legend .news { background: light-dark(#54aeff, #388bfd) }
.legend .failed { background: light-dark(#cf222e, #f85149) }
.legend .wait { box-sizing: border-box; background: none; border: 1px dashed light-dark(#bc4c00, #f0883e) }
.legend .live, .legend .retrying { height: 4px; background: light-dark(#1a7f37, #3fb950) }
.legend .retrying { background: light-dark(#bc4c00, #f0883e) }
.legend b { width: 17px; height: 17px; border-radius: 50%; text-align: center; line-height: 17px; font-size: 11px; color: light-dark(#fff, #0d1117);
  background: light-dark(hsl(var(--hue) 65% 28%), hsl(var(--hue) 65% 70%)) }
p { min-height: 1.4em; margin: 4px 0; overflow-wrap: anywhere }
button { font: inherit; padding: 2px 12px }
ol { max-height: 16em; overflow: auto; overflow-wrap: anywhere }
.line rect { fill: light-dark(#8c959f, #6e7681) }
.live rect { fill: light-dark(#1a7f37, #3fb950) }
.retrying rect { fill: light-dark(#bc4c00, #f0883e) }
.offline rect, .ended rect { fill: light-dark(#cf222e, #f85149) }
.poll rect { fill: light-dark(#54aeff, #388bfd); fill-opacity: 0.55 }
.poll.no_news rect, .poll.first rect { fill: light-dark(#8c959f, #8b949e) }
.poll.failed rect, .poll.retry_after rect, .poll.cut rect { fill: light-dark(#cf222e, #f85149) }
.poll.paused rect, .poll.woken rect { fill-opacity: 0.25 }
.wait rect { fill: none; stroke: light-dark(#bc4c00, #f0883e); stroke-dasharray: 3 3 }
.wait.no_news rect, .wait.news rect { stroke: light-dark(#8c959f, #6e7681) }
.marble circle { fill: light-dark(hsl(var(--hue) 65% 28%), hsl(var(--hue) 65% 70%)); stroke: light-dark(#fff, #0d1117); stroke-width: 1.5 }
.marble text, .sign text { text-anchor: middle; dominant-baseline: central; font-weight: 600 }
.poll text { dominant-baseline: central }
svg .marble text { fill: light-dark(#fff, #0d1117) }
svg .sign text { font-size: 15px; fill: light-dark(#a40e26, #ff7b72) }
svg .sign.gap text { font-size: 26px; fill: light-dark(#8250df, #d2a8ff) }
svg .mark { stroke: currentColor; stroke-dasharray: 2 3 }
.poll, .marble, .sign, .wait { cursor: pointer }
svg .sign.woken text { fill: light-dark(#7d4e00, #e3b341) }
`;
