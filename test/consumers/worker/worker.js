import { ask } from './ask.js';

export default {
  async fetch(request) {
    const { config, group_id } = await request.json();
    return new Response(await ask(config, group_id).catch(String));
  },
};
