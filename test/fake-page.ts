/**
 * The global object of a page, as far as this library looks at it. Events pass through the real
 * `EventTarget` of Node.
 */
export interface FakePage {
  /** Fires an event at the window. */
  fire(type: string, details?: { readonly persisted?: boolean }): void;
  /** Hides or shows the page. */
  show(isVisible: boolean): void;
  /** Makes it a page that is rendered before it is shown, and shows it. */
  prerender(isPrerendering: boolean): void;
  /** The types that are listened to, one for each listener. */
  readonly listeners: readonly string[];
  /** Makes this process no page again. */
  remove(): void;
}

/** Turns this process into a page. */
export function fakePage(): FakePage {
  const window = new EventTarget();
  const listeners: string[] = [];
  const document = { visibilityState: 'visible', prerendering: false };
  const globals = {
    document,
    addEventListener: (type: string, listener: (event: Event) => void) => {
      listeners.push(type);
      window.addEventListener(type, listener);
    },
    removeEventListener: (type: string, listener: (event: Event) => void) => {
      listeners.splice(listeners.indexOf(type), 1);
      window.removeEventListener(type, listener);
    },
  };
  Object.assign(globalThis, globals);
  const fire: FakePage['fire'] = (type, details) =>
    void window.dispatchEvent(Object.assign(new Event(type), details));
  return {
    fire,
    show: isVisible => {
      document.visibilityState = isVisible ? 'visible' : 'hidden';
      fire('visibilitychange');
    },
    prerender: isPrerendering => {
      document.prerendering = isPrerendering;
      if (!isPrerendering) fire('prerenderingchange');
    },
    listeners,
    remove: () => {
      for (const name of Object.keys(globals)) Reflect.deleteProperty(globalThis, name);
    },
  };
}
