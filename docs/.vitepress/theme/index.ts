import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import Diagram from './Diagram.vue';

const theme: Theme = {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => void app.component('Diagram', Diagram),
};
export default theme;
