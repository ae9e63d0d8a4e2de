import type { IncomingMessage, ServerResponse } from 'node:http'
import { type PageInput, page } from '../../page.ts'

/** Fields of a posted form. Throws when it is larger than any of our forms. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk
    if (text.length > 100_000) throw new Error('The form is too large.')
  }
  return new URLSearchParams(text)
}

/** Where the browser is, as the policies of authentik see it. */
export function addressOf(request: IncomingMessage): string {
  return request.socket.remoteAddress?.replace(/^::ffff:/, '') ?? ''
}

export function sendPage(response: ServerResponse, status: number, input: PageInput): void {
  const { body, headers } = page(input)
  response.writeHead(status, headers).end(body)
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify(body))
}

export function redirect(response: ServerResponse, location: string): void {
  response.writeHead(302, { location, 'cache-control': 'no-store' }).end()
}

export function notFound(response: ServerResponse): void {
  response.writeHead(404, { 'content-type': 'text/html; charset=utf-8' }).end('<h1>Not Found</h1>')
}
