import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import Diagram from './Diagram.vue';
import RunnableCode from './RunnableCode.vue';

const theme: Theme = {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => void app.component('Diagram', Diagram).component('RunnableCode', RunnableCode),
};
export default theme;
