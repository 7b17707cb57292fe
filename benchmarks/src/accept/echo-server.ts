// The limit for anything that speaks JSON over Express: parse a body, answer with it.
import express from 'express';

const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.use(express.json());
app.post('/mcp', (request, response) => {
  response.json(request.body);
});
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  process.send?.({ url: `http://127.0.0.1:${port}/mcp` });
});
process.once('SIGTERM', () => process.exit(0));
