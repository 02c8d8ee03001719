export { proxyFindings } from './connection-findings.js';
export { corsFindings } from './cors-findings.js';
export { final, problem, type Finding } from './finding.js';
export { lobbyFindings } from './lobby-findings.js';
export { observedTransport } from './observed-transport.js';
export { plainAnswer } from './plain-answer.js';
export { memberFindings } from './member-findings.js';
export { serviceFindings } from './service-findings.js';
export { watchFindings, type Surroundings } from './watch-findings.js';
