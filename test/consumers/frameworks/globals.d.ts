// The names that the reader of a recipe is assumed to have.
declare const group_id: string;
declare const session: { readonly token: string };
declare const show: (...values: readonly unknown[]) => void;
declare const url: string;

/** For svelte-check, which does not know of Vue. */
declare module '*.vue' {
  const component: import('vue').Component;
  export default component;
}
