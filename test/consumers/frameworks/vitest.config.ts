import { svelte } from '@sveltejs/vite-plugin-svelte';
import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [vue(), svelte()],
  // Otherwise, Svelte is the one for servers.
  resolve: { conditions: ['browser'] },
  test: { environment: 'jsdom', testTimeout: 120_000 },
});
