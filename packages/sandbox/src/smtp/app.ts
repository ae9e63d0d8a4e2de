import { Hono } from 'hono'
import type { Message, Messages } from './messages.ts'
import { listPage, messagePage, missingPage } from './pages.ts'

/**
 * Nothing runs and nothing is fetched in a message; images travel inside it. Links open pages of
 * their own.
 */
const messagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox allow-popups allow-popups-to-escape-sandbox; frame-ancestors 'self'"

/**
 * The page of the mail catcher and its JSON: `GET /messages?to=<address>`, `GET /messages/<id>`,
 * `DELETE /messages`.
 */
export function createSmtpApp(messages: Messages, changed: () => void): Hono {
  const app = new Hono()
  const clear = () => {
    messages.clear()
    changed()
  }

  app.use(async (context, next) => {
    await next()
    context.header('cache-control', 'no-store')
    context.header('x-content-type-options', 'nosniff')
  })
  app.get('/', () => shown(listPage(messages.list())))
  app.get('/view/:id', (context) => {
    const message = messages.find(context.req.param('id'))
    return message ? shown(messagePage(message)) : shown(missingPage(), 404)
  })
  app.post('/clear', (context) => {
    // Another site in the same browser must not be able to empty the box.
    const site = context.req.header('sec-fetch-site')
    if (site !== undefined && site !== 'same-origin') return context.text('Forbidden', 403)
    clear()
    return context.redirect('/', 303)
  })
  app.get('/messages', (context) => {
    const to = context.req.query('to')?.toLowerCase()
    const found = messages
      .list()
      .filter(
        (message) =>
          to === undefined || message.envelope.to.some((address) => address.toLowerCase() === to),
      )
    return context.json({ items: found.map(summary) })
  })
  app.delete('/messages', (context) => {
    clear()
    return context.body(null, 204)
  })
  app.get('/messages/:id', (context) => {
    const message = messages.find(context.req.param('id'))
    return message ? context.json(message) : context.json({ error: 'not_found' }, 404)
  })
  app.get('/messages/:id/html', async (context) => {
    const message = messages.find(context.req.param('id'))
    if (message?.html === undefined) return context.text('Not found', 404)
    return new Response(`<base target="_blank">${await withInlineImages(messages, message)}`, {
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': messagePolicy,
        'referrer-policy': 'no-referrer',
      },
    })
  })
  app.get('/messages/:id/raw', (context) => {
    const raw = messages.raw(context.req.param('id'))
    return raw
      ? download(new Uint8Array(raw), `message-${context.req.param('id')}.eml`, 'message/rfc822')
      : context.text('Not found', 404)
  })
  app.get('/messages/:id/attachments/:index', async (context) => {
    const { id, index } = context.req.param()
    const described = messages.find(id)?.attachments[Number(index)]
    const content = described && (await messages.attachment(id, Number(index)))
    return described && content
      ? download(content, described.filename, described.mimeType)
      : context.text('Not found', 404)
  })
  return app
}

function shown({ body, headers }: ReturnType<typeof listPage>, status = 200): Response {
  return new Response(body, { status, headers })
}

function summary({ headers: _headers, text: _text, html: _html, ...rest }: Message) {
  return rest
}

function download(content: Uint8Array<ArrayBuffer>, filename: string, mimeType: string): Response {
  return new Response(content, {
    headers: {
      'content-type': /^[\w.+-]+\/[\w.+-]+$/.test(mimeType) ? mimeType : 'application/octet-stream',
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(filename).replaceAll("'", '%27')}`,
      'content-security-policy': 'sandbox',
    },
  })
}

/** The HTML with the images that it refers to by `cid:` put inside it. */
async function withInlineImages(messages: Messages, message: Message): Promise<string> {
  let body = message.html ?? ''
  for (const [index, { contentId, mimeType }] of message.attachments.entries()) {
    if (
      contentId === undefined ||
      !body.includes(`cid:${contentId}`) ||
      !/^image\/[\w.+-]+$/.test(mimeType)
    )
      continue
    const content = await messages.attachment(message.id, index)
    if (content)
      body = body.replaceAll(
        `cid:${contentId}`,
        `data:${mimeType};base64,${Buffer.from(content).toString('base64')}`,
      )
  }
  return body
}
