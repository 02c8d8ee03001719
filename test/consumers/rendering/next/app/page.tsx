import { connection } from 'next/server';
import { Board } from './Board';

export default async function Page() {
  await connection();
  return (
    <main>
      <Board />
    </main>
  );
}
