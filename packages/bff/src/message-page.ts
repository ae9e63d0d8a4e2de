import { serverPageTexts } from '@atrium/messages/server-pages'
import { html } from 'hono/html'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { AppContext } from './request.ts'

/** A page of this server itself, for messages where the app may not be served. */
export function messagePage(
  c: AppContext,
  status: 403 | 404 | 503,
  title: string,
  text: string,
): Response | Promise<Response> {
  return pageOf(
    c,
    status,
    title,
    html`<p>${text}</p><p><a href="/">${serverPageTexts(c.get('language'))('backToStart')}</a></p>`,
  )
}

/**
 * The same in a window opened beside the app, which closes at the end. `script`: address of one of
 * our scripts.
 */
export function windowPage(
  c: AppContext,
  status: 200 | 403 | 503,
  title: string,
  text: string,
  script?: string,
): Response | Promise<Response> {
  return pageOf(
    c,
    status,
    title,
    html`<p>${text}</p>${script === undefined ? '' : html`<script src="${script}" defer></script>`}`,
  )
}

/** The same with content of the caller's. */
export function pageOf(
  c: AppContext,
  status: ContentfulStatusCode,
  title: string,
  body: ReturnType<typeof html>,
): Response | Promise<Response> {
  const page = html`<!doctype html>
<html lang="${c.get('language')}">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title}</title>
    <style nonce="${c.get('nonce')}">
      :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
      main { max-width: 32rem; margin: 20vh auto 0; padding: 0 1.5rem }
      button, .button { font: inherit; font-weight: 600; padding: 0.6rem 1.1rem; border: 0; border-radius: 0.5rem; background: #1c5fd4; color: #fff; cursor: pointer; text-decoration: none; display: inline-block }
      form { display: inline-block; margin: 0 0.5rem 1rem 0 }
      button.plain { background: transparent; color: inherit; box-shadow: inset 0 0 0 1px currentColor }
      blockquote { margin: 1rem 0; padding-left: 1rem; border-left: 3px solid #1c5fd4; white-space: pre-line; overflow-wrap: anywhere }
      code { font: 1.15rem/1.6 ui-monospace, monospace; padding: 0.35rem 0.6rem; border: 1px solid; border-radius: 0.4rem; user-select: all; overflow-wrap: anywhere }
    </style>
  </head>
  <body>
    <main>
      <h1>${title}</h1>
      ${body}
    </main>
  </body>
</html>`
  c.header('cache-control', 'no-store')
  return c.html(page, status)
}
