// A server that speaks CouchDB's protocol, in memory. Its parent writes documents over HTTP like anybody else, and sends it commands:
// `restart` closes the port and every connection for a moment, and `figures` asks for what it has counted.
import express from 'express';
import expressPouchDB from 'express-pouchdb';
import memory from 'pouchdb-adapter-memory';
import PouchDB from 'pouchdb-core';
import mapreduce from 'pouchdb-mapreduce';
import replication from 'pouchdb-replication';

// What is in memory would not survive another process, so the server stays and only its port goes away.
const AWAY_MS = 700;

const Databases = PouchDB.plugin(memory)
  .plugin(mapreduce)
  .plugin(replication)
  .defaults({ adapter: 'memory' });
const app = express();
const sockets = new Set();
let polls = 0;
app.use((request, _, next) => {
  if (request.url.includes('/_changes')) polls++;
  next();
});
app.use(expressPouchDB(Databases, { inMemoryConfig: true, mode: 'minimumForPouchDB' }));

let server;
function listen(port) {
  server = app.listen(port, '127.0.0.1', () => process.send({ port: server.address().port }));
  server.on('connection', socket => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
}

process.on('message', command => {
  if (command === 'figures') return process.send({ polls, open: sockets.size });
  const { port } = server.address();
  server.close();
  for (const socket of sockets) socket.destroy();
  setTimeout(() => listen(port), AWAY_MS);
});
process.on('disconnect', () => process.exit());
listen(0);
