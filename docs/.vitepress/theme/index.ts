import type { Theme } from 'vitepress';
import DefaultTheme, { VPButton, VPFeatures } from 'vitepress/theme';
import Diagram from './Diagram.vue';
import RunnableCode from './RunnableCode.vue';
import './site.css';

const theme: Theme = {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => {
    for (const [name, component] of Object.entries({ Diagram, RunnableCode, VPButton, VPFeatures }))
      app.component(name, component);
  },
};
export default theme;
