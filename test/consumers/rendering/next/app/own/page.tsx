import { connection } from 'next/server';
import { Own } from './Own';

export default async function Page() {
  await connection();
  return <Own />;
}
