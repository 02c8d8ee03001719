/** For svelte-check, which does not know of Vue. */
declare module '*.vue' {
  const component: import('vue').Component;
  export default component;
}
