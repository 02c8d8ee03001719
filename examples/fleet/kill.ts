// Kills a process of the example, by default a worker. To kill another one, name it, as in npm run
// fleet:kill -- consumer
import { listedProcesses } from './processes.js';

const running = listedProcesses();
if (!running) {
  console.error(
    'npm run fleet:kill: the example does not run; start it in another terminal with: npm run fleet',
  );
  process.exit(2);
}
const [, , name = Object.keys(running).find(name => name !== 'consumer')] = process.argv;
const id = name === undefined ? undefined : running[name];
if (id === undefined) {
  console.error(`npm run fleet:kill: there is no ${name}; there are ${Object.keys(running).join(', ')}`);
  process.exit(2);
}
process.kill(id, 'SIGKILL');
console.log(`${name} was killed`);
