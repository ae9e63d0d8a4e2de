import { html, raw } from 'hono/html'
import type { Listed } from './sample-request.ts'
import { pageScript } from './script.ts'
import { style } from './style.ts'

export type Html = ReturnType<typeof html>

/** The operations of one tag. */
export interface Section {
  /** The tag as a path segment. */
  name: string
  title: string
  operations: readonly Listed[]
}

/** A page with the header and the list of sections. */
export function page(
  title: string,
  sections: readonly Section[],
  current: string,
  content: Html,
  search = '',
): Html {
  const link = (name: string, label: string) =>
    html`<li><a href="/docs${name === '' ? '' : `/${name}`}"${name === current ? html` aria-current="page"` : ''}>${label}</a></li>`
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title} – Atrium platform API</title>
    <style>${raw(style)}</style>
  </head>
  <body>
    <a class="skip" href="#content">Skip to content</a>
    <header class="top">
      <a class="brand" href="/docs">Atrium platform API</a> <a class="sections" href="#sections">All sections</a>
      <form class="search" action="/docs" role="search">
        <input type="search" name="q" value="${search}" maxlength="200" aria-label="Search operations" placeholder="Search operations" />
        <button>Search</button>
      </form>
    </header>
    <div class="page">
      <main id="content">${content}</main>
      <div class="side">
        <nav id="sections" aria-label="Sections">
          <ul>
            ${link('', 'Overview')} ${sections.map(({ name, title }) => link(name, title))} ${link('webhook-events', 'Webhook events')} ${link('errors', 'Error codes')}
          </ul>
        </nav>
      </div>
    </div>
    <script type="module">${raw(pageScript())}</script>
  </body>
</html>`
}
