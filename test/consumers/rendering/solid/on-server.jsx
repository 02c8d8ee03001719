import { generateHydrationScript, renderToStringAsync } from 'solid-js/web';
import { Page } from './page';

export const render = async () => ({
  page: await renderToStringAsync(() => <Page />),
  head: generateHydrationScript(),
});
