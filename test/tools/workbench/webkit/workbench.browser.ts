import { WebKit } from '../../../integrations/browser/webkit/webkit.js';
import { describeWorkbench } from '../in-browser.js';

describeWorkbench('WebKit', async () => {
  const webkit = await WebKit.start();
  return { open: url => webkit.useFirstTab(url), close: () => webkit.close() };
});
