import { Firefox } from '../../../integrations/browser/firefox/firefox.js';
import { describeWorkbench } from '../in-browser.js';

describeWorkbench('Firefox', async () => {
  const firefox = await Firefox.start();
  return { open: url => firefox.openTab(url), close: () => firefox.close() };
});
