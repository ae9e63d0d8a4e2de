import { createServer } from 'node:http'
import { verifyWebhook, WebhookVerificationError } from '@atrium/client/webhooks'

// Receives webhooks: verifies each signature and prints the content. During a rotation, set both
// secrets, separated by a space.
const secrets = (process.env.WEBHOOK_SECRETS ?? '').split(' ').filter(Boolean)
const mostBytes = 1_000_000

const server = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) {
    body += chunk
    if (body.length > mostBytes) return response.writeHead(413).end()
  }
  try {
    const message = verifyWebhook({ body, headers: request.headers }, secrets)
    // Respond first and work later: a delivery without a response is repeated.
    response.writeHead(204).end()
    // The type decides which fields a message has.
    if (message.type === 'member.created')
      console.log(`${message.data.resource.name} is a member of ${message.data.tenant}`)
    console.log(request.headers['webhook-id'], JSON.stringify(message))
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    response.writeHead(400).end(error.message)
  }
})
server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', () => {
  const address = server.address()
  console.log(`listening on ${typeof address === 'object' ? address?.port : address}`)
})
