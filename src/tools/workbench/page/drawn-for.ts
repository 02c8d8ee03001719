import { Component, type ComponentChild, type ComponentClass } from 'preact';

/**
 * A component that is drawn again only if what it says has changed. It is no `useMemo`, because a
 * vnode that is kept also keeps the whole page of the time when it was made.
 */
export function drawnFor<P extends object>(
  saidBy: (props: P) => unknown,
  draw: (props: P) => ComponentChild,
): ComponentClass<P> {
  return class extends Component<P> {
    #said = saidBy(this.props);

    override shouldComponentUpdate(props: P): boolean {
      const before = this.#said;
      this.#said = saidBy(props);
      return this.#said !== before;
    }

    override render(): ComponentChild {
      return draw(this.props);
    }
  };
}
