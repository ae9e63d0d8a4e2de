import type { PageTenant } from '@atrium/core/scheduling/booking-pages'
import { languageNames, languages } from '@atrium/messages/languages'
import { html, raw } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'
import type { Assets } from '../assets.ts'
import { brandStyle, styleHash } from '../brand.ts'
import { languageParameter } from '../language-choice.ts'
import type { AppContext } from '../request.ts'

export type Html = HtmlEscapedString | Promise<HtmlEscapedString>

/** The tenant as every page under its name shows it. */
export type Frame = Pick<PageTenant, 'slug' | 'name' | 'brand'>

export interface Page {
  title: string
  /** For search engines and for previews of links. */
  description?: string | undefined
  /** Absent on pages that belong to no tenant. */
  frame?: Frame | undefined
  /**
   * Path of the page's own address, without the choices in its query; absent on pages that must not
   * be indexed.
   */
  canonicalPath?: string | undefined
  /** What screen readers announce when the script has replaced the page's content. */
  announce?: string | undefined
  /** Addresses of images that come from elsewhere. */
  images?: readonly (string | null)[]
  /** Origins whose pages may show this one in a frame. */
  embedOrigins?: readonly string[]
  body: Html
}

export interface PageParts {
  publicUrl: string
  assets: Assets
}

const standardAccent = '#1f6feb'

/** Asks for the content of a page alone; what the script puts in place when a link is followed. */
export const partHeader = 'x-atrium-part'

/** Returns a whole page, or its content alone to the page's own script. */
export async function renderPage(
  c: AppContext,
  parts: PageParts,
  page: Page,
  status: 200 | 400 | 404 | 409 | 429 | 500 | 503 = 200,
): Promise<Response> {
  const policy = c.get('policy')
  policy.images = [
    ...new Set((page.images ?? []).flatMap((url) => (url === null ? [] : [new URL(url).origin]))),
  ]
  policy.frameAncestors = page.embedOrigins ?? []
  c.header('vary', `accept-language, cookie, ${partHeader}`)
  const main = html`<main id="main" tabindex="-1" data-title="${page.title}" data-announce="${page.announce ?? page.title}">${page.body}</main>`
  if (c.req.header(partHeader) === 'main') return c.html(await main, status)
  return c.html(await wholePage(c, parts, page, main), status)
}

function wholePage(c: AppContext, { publicUrl, assets }: PageParts, page: Page, main: Html): Html {
  const { frame } = page
  const { language, text } = c.get('formats')
  const brand = brandStyle(frame?.brand.accentColor ?? standardAccent)
  c.get('policy').styles = [styleHash(assets.style), styleHash(brand)]
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.title}</title>
${head(page, publicUrl)}
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${icon(frame)}">
<style>${raw(assets.style)}</style>
<style>${raw(brand)}</style>
<script type="module" src="${assets.scriptPath}" integrity="${assets.scriptIntegrity}"></script>
</head>
<body>
<a class="skip" href="#main">${text('frame.skipToContent')}</a>
${frame ? header(frame) : ''}
${main}
<p id="live" class="hidden" role="status" aria-live="polite"></p>
<footer>${frame ? html`<p>${frame.brand.productName}</p>` : ''}${languageLinks(c)}<p>${text('frame.storage')}</p></footer>
</body>
</html>`
}

/**
 * The same page in each language. Absent from responses to forms: switching would lose the typed
 * text.
 */
function languageLinks(c: AppContext): Html | '' {
  if (c.req.method !== 'GET') return ''
  const { language: shown, text } = c.get('formats')
  const { pathname, searchParams } = new URL(c.req.url)
  return html`<nav aria-label="${text('frame.language')}"><ul class="languages">${languages.map(
    (language) => {
      searchParams.set(languageParameter, language)
      return html`<li><a href="${pathname}?${searchParams}" lang="${language}" hreflang="${language}" rel="nofollow" data-language="${language}"${language === shown ? html` aria-current="true"` : ''}>${languageNames[language]}</a></li>`
    },
  )}</ul></nav>`
}

function head({ title, description, canonicalPath, frame }: Page, publicUrl: string): Html {
  if (canonicalPath === undefined) return html`<meta name="robots" content="noindex, nofollow">`
  const address = publicUrl + canonicalPath
  return html`<link rel="canonical" href="${address}">
${description ? html`<meta name="description" content="${description}"><meta property="og:description" content="${description}">` : ''}
<meta property="og:title" content="${title}">
<meta property="og:type" content="website">
<meta property="og:url" content="${address}">
${frame ? html`<meta property="og:site_name" content="${frame.name}">` : ''}`
}

function header(frame: Frame): Html {
  return html`<header><a href="/${frame.slug}"><span class="mark" aria-hidden="true">${initial(frame.name)}</span>${frame.name}</a></header>`
}

function initial(name: string): string {
  const [first] = new Intl.Segmenter().segment(name.trim())
  return (first?.segment ?? '').toUpperCase()
}

function icon(frame: Frame | undefined): string {
  const color = frame?.brand.accentColor ?? standardAccent
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" rx="2" fill="${color}"/></svg>`
  return `data:image/svg+xml,${encodeURIComponent(svg)}`
}

/** The first words of a longer text, for previews of links. */
export function excerpt(text: string | null): string | undefined {
  if (text === null) return undefined
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= 160 ? line : `${line.slice(0, 157).trimEnd()}…`
}
