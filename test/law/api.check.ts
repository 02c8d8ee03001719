import { join } from 'node:path';
import { strictEqualToAccepted } from './accepted.js';
import { apiReport } from './api-report.js';
import { packed } from './packed.js';

const DIST = join(import.meta.dirname, '../../dist');
const ENTRIES = {
  'lobby-rx': 'index.d.ts',
  'lobby-rx/codecs': 'codecs.d.ts',
  'lobby-rx/angular': 'integrations/angular/index.d.ts',
  'lobby-rx/angular/testing': 'tools/angular-testing/index.d.ts',
  'lobby-rx/browser': 'integrations/browser/index.d.ts',
  'lobby-rx/emulator': 'tools/emulator/index.d.ts',
  'lobby-rx/fleet': 'integrations/fleet/index.d.ts',
  'lobby-rx/lobby-server': 'integrations/lobby-server/index.d.ts',
  'lobby-rx/marbles': 'tools/marbles/index.d.ts',
  'lobby-rx/opentelemetry': 'integrations/opentelemetry/index.d.ts',
  'lobby-rx/services': 'integrations/services/index.d.ts',
  'lobby-rx/views': 'integrations/views/index.d.ts',
  'lobby-rx/node': 'transport/node/index.d.ts',
};

describe('the types that users see', function () {
  this.timeout(120_000);
  before(packed);

  for (const [title, entry] of Object.entries(ENTRIES)) {
    it(`of ${title} are those that were accepted`, () =>
      strictEqualToAccepted(
        apiReport(title, join(DIST, entry), DIST),
        `api/${title.replace('lobby-rx/', '').replace('/', '-')}.md`,
      ));
  }
});
