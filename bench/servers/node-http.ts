import { createServer } from 'node:http'

// A peer of P5 and P13: the cost of a constant response with Node alone.
const body = JSON.stringify({
  service: 'atrium-platform-api',
  status: 'ok',
  version: '0.0.0',
  uptimeSeconds: 1,
})
createServer((_request, response) => {
  response
    .writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    })
    .end(body)
}).listen(Number(process.env.PORT), '127.0.0.1')
