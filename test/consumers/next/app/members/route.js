import { ask } from '../../ask.js';

export const dynamic = 'force-dynamic';

export async function POST(request) {
  const { config, group_id } = await request.json();
  return new Response(await ask(config, group_id).catch(String));
}
