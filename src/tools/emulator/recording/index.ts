export { fromRecording, type ReplayConfig } from './from-recording.js';
export { withRecording, type RecordedLine, type RecordingConfig } from './with-recording.js';
