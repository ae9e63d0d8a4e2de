import { createServer } from 'node:http'
import { bearerIn } from '@atrium/api/context'
import { createLogger } from '@atrium/api/log'
import { createTokenVerifier } from '@atrium/api/token'
import { problemAnswer } from '@atrium/api/transport/problems'
import { SocketSource, sendAnswer } from '@atrium/api/transport/socket'
import { AppError } from '@atrium/core/errors'

// P5, second half: the product's way in and out and its token verifier, without database. The API itself has no endpoint that needs a
// token and no stored record, because the guards always read the caller's row.
const tokens = createTokenVerifier({
  subjectPrefixes: new Map([[process.env.IDP_ISSUER ?? '', '']]),
  audiences: [process.env.IDP_AUDIENCE ?? ''],
  clock: { now: () => new Date() },
  log: createLogger('warn'),
})
const facts = { requestId: 'bench', headersSet: undefined }
const headers = { 'content-type': 'application/json' }

async function whoami(source: SocketSource) {
  const token = bearerIn(source.header('authorization'))
  if (!token) throw new AppError('unauthenticated')
  const { subject, email } = await tokens.verify(token)
  return { status: 200, headers, body: JSON.stringify({ subject, email }) }
}

createServer((incoming, outgoing) => {
  if (incoming.url === '/health') {
    outgoing.end()
    return
  }
  void whoami(new SocketSource(incoming, outgoing))
    .catch((error: unknown) => problemAnswer(error, facts.requestId))
    .then((answer) => sendAnswer(outgoing, answer, facts, false))
}).listen(Number(process.env.PORT), '127.0.0.1')
