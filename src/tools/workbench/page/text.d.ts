/** A file of text, as the bundler puts it into the page. */
declare module '*.txt' {
  const text: string;
  export default text;
}
