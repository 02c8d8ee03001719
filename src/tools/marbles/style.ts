/**
 * The look of the element. It follows the `color-scheme` of the page. These colours are for shapes.
 * The workbench has stronger ones in `tools/workbench/page/workbench.css`, because text needs them.
 */
export const STYLE = `
:host {
  --failed: light-dark(#cf222e, #f85149);
  --retrying: light-dark(#bc4c00, #f0883e);
  --waiting: light-dark(#8c959f, #6e7681);
  --quiet: light-dark(#8c959f, #8b949e);
  display: block;
  font: 13px/1.4 system-ui, sans-serif;
  color: light-dark(#1f2328, #e6edf3);
}
:host([hidden]) { display: none }
.picture { display: block; width: 100%; overflow: hidden; border-block: 1px solid light-dark(#d0d7de, #30363d) }
svg text { font: 12px system-ui, sans-serif; fill: currentColor }
.legend { display: flex; flex-wrap: wrap; gap: 2px 14px; padding: 4px 0; font-size: 12px }
.legend span { display: inline-flex; align-items: center; gap: 5px; min-width: 0; overflow-wrap: anywhere }
.legend svg { flex: none; width: 22px; height: 20px }
.legend [hidden] { display: none }
p { min-height: 1.4em; margin: 4px 0; overflow-wrap: anywhere }
button { font: inherit; padding: 2px 12px }
ol { max-height: 16em; overflow: auto; overflow-wrap: anywhere }
.line line { stroke: var(--waiting); stroke-width: 4 }
.line.live line { stroke: light-dark(#1a7f37, #3fb950) }
.line.retrying line { stroke: var(--retrying) }
.line.offline line { stroke: var(--failed) }
.line.idle line, .line.closed line { stroke-width: 2; stroke-dasharray: 4 4 }
.poll rect { fill: none; stroke: light-dark(#6e7781, #8b949e) }
.poll.news rect { fill: light-dark(#54aeff, #388bfd); fill-opacity: 0.55; stroke: none }
.poll:is(.no_news, .stale) rect { fill: var(--quiet); fill-opacity: 0.55; stroke: none }
.poll:is(.failed, .retry_after, .cut) rect { fill: var(--failed); fill-opacity: 0.55; stroke: none }
.poll:is(.paused, .woken) rect { fill: var(--quiet); fill-opacity: 0.25; stroke: none }
.wait rect { fill: none; stroke: var(--waiting); stroke-dasharray: 3 3 }
.wait:is(.failed, .retry_after, .cut, .ack_failed) rect { stroke: var(--retrying) }
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
