import { nextTick, onMounted, watch } from 'vue';
import { useRoute, type Theme } from 'vitepress';
import DefaultTheme, { VPButton, VPFeatures } from 'vitepress/theme';
import Diagram from './Diagram.vue';
import { rememberTabs, showRemembered } from './remember-tabs.js';
import RunnableCode from './RunnableCode.vue';
import './site.css';

const theme: Theme = {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => {
    for (const [name, component] of Object.entries({ Diagram, RunnableCode, VPButton, VPFeatures }))
      app.component(name, component);
  },
  setup: () => {
    const route = useRoute();
    onMounted(() => {
      rememberTabs();
      showRemembered();
    });
    watch(
      () => route.path,
      () => void nextTick(showRemembered),
    );
  },
};
export default theme;
