import type { BrowserContext, Page } from 'playwright-core'

/**
 * Every text on the page, its title and the attributes that people read or hear, without what is
 * in ⟦brackets⟧: the pseudo-language puts each message of the catalogue into them. A message may
 * go across several elements, so brackets are counted along the document. Code, and what is typed
 * into fields, is no text of ours.
 */
const outsideBrackets = `(() => {
  const found = new Set()
  let depth = 0
  const read = (text) => {
    let outside = ''
    for (const character of text) {
      if (character === '⟦') depth++
      else if (character === '⟧') depth--
      else outside += depth === 0 ? character : ' '
    }
    if (/\\p{L}/u.test(outside)) found.add(outside.trim().replace(/\\s+/g, ' '))
  }
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  let whole = ''
  while (walker.nextNode()) {
    const { parentElement: parent, data, nextSibling: next } = walker.currentNode
    if (parent.closest('script, style, noscript, template, code, pre, textarea, datalist')) continue
    // A word that may break is several texts.
    whole += data
    if (next?.nodeName === 'WBR') continue
    read(whole)
    whole = ''
  }
  const names = 'aria-label aria-description aria-roledescription aria-valuetext title placeholder alt'
  const texts = [document.title]
  for (const element of document.body.querySelectorAll('*'))
    if (!element.closest('[aria-hidden=true]'))
      for (const name of names.split(' ')) texts.push(element.getAttribute(name) ?? '')
  for (const text of texts) {
    depth = 0
    read(text)
  }
  return [...found]
})()`

/** Fields of responses in which the API writes sentences of its own: they are no data. */
const written = new Set(['hint', 'message', 'detail', 'error', 'mailError'])

/**
 * Collects what the pages of this context get from the API, as data: what people and upstream
 * systems wrote, names and codes. Changes are not carried out: to each the API seems unreachable.
 */
export async function collectData(
  context: BrowserContext,
  at: string,
): Promise<ReadonlySet<string>> {
  const strings = new Set<string>()
  const collect = (value: unknown, key: string): void => {
    if (typeof value === 'string') {
      if (!value.includes('⟦') && !(written.has(key) && /\.$/.test(value))) strings.add(value)
    } else if (Array.isArray(value)) for (const item of value) collect(item, key)
    else if (typeof value === 'object' && value !== null)
      for (const [name, item] of Object.entries(value)) collect(item, name)
  }
  // Pages of other systems are not ours to judge.
  await context.route(
    (url) => url.origin !== at,
    (route) => route.abort(),
  )
  await context.route(/\/(trpc|api)\//, async (route) => {
    const request = route.request()
    if (request.method() === 'POST') return route.abort()
    // Events come for as long as a page is open.
    if (request.headers().accept?.includes('event-stream')) return route.continue()
    const response = await route.fetch().catch(() => undefined)
    if (!response) return route.abort().catch(() => undefined)
    const body = await response.text()
    // Responses of several calls are lines of JSON.
    if (response.headers()['content-type']?.includes('json'))
      for (const line of body.split('\n').filter(Boolean)) collect(JSON.parse(line), '')
    await route.fulfill({ response, body }).catch(() => undefined)
  })
  return strings
}

/** Names that are the same in every language. */
const properNames = [
  ...['Atrium', 'English', 'Deutsch', 'PostgreSQL', 'Stripe', 'SMTP', 'IMAP', 'JMAP', 'DNS'],
  ...['CSV', 'NDJSON', 'JSON', 'CalDAV', 'CardDAV', 'WebDAV', 'IPv4', 'IPv6', 'IP', 'SSO'],
]

/** Examples that fields show, the same in every language. */
const examples = ['email,name,role', 'mira,Mira Miller,member', 'Nextcloud', 'SEPA 2027-03-02 4711']

/** Stored in English only (docs/how-to/texts-and-languages.md): why an event changed nothing. */
const storedInEnglish = ['invoice.paid says the same, and also of payments made elsewhere.']
/** What the outgoing mail server replied, as a failure quotes it. */
const replies = /: it replied ".*"/gu

/**
 * Codes, such as `tenant.*`, `past_due`, `in_1N8…`, `mail.check: timeout` and colours; addresses;
 * numbers of documents.
 */
const codes =
  /(?<![\p{L}\d])(?:[a-z]+\.\w+: [a-z\d_, ]+|[a-z]\w*[._][\w.*]+|__\w[\w-]*|[A-Z][A-Z\d]*(?:-[A-Z\d]+)+|#[\da-f]{6}|https?:\S+)(?![\p{L}\d])/gu

/** What `Intl` writes: days, times, spans, currencies, units, languages and time zones. */
const fromIntl = (() => {
  const words = ['AM', 'PM', 'at', 'UTC', 'GMT', 'now', 'today', 'yesterday', 'tomorrow', 'German']
  for (const locale of ['en-GB', 'en-US'])
    for (const style of ['long', 'short'] as const) {
      for (let month = 0; month < 12; month++)
        words.push(new Date(2026, month, 1).toLocaleDateString(locale, { month: style }))
      for (let day = 1; day <= 7; day++)
        words.push(new Date(2026, 1, day).toLocaleDateString(locale, { weekday: style }))
    }
  const span = '(?:second|sec|minute|min|hour|hr|day|week|month|mth|quarter|year)s?'
  const unit = '(?:[kMGTP]i?B|bytes?|ms|s|h|[kKMB])'
  const area =
    '(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific|Etc)'
  const forms = [
    `(?:in )?\\d[\\d,.]* ?${span}(?: ago)?`,
    `(?:last|this|next) ${span}`,
    `\\d[\\d,.]* ?${unit}`,
    `${area}/[\\w/ +-]+`,
    '[A-Z]{3}',
    '[A-Z]{2}(?=\\$)',
    ...words,
  ]
  return new RegExp(`(?<!\\p{L})(?:${forms.join('|')})(?!\\p{L})`, 'gu')
})()

/** Names of countries, as the browser spells them: in each page the same, and slow to ask for. */
let countryNames: string[] | undefined
const countries = `['long', 'short'].flatMap((style) => ['en-GB', 'en-US'].flatMap((locale) => {
  const names = new Intl.DisplayNames(locale, { type: 'region', style, fallback: 'none' })
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  return letters.flatMap((a) => letters.flatMap((b) => names.of(a + b) ?? []))
}))`

/** Initials, as pictures of people without a picture show them. */
const initials = /^\p{Lu}{1,2}$/u

const isLetter = (character = '') => /\p{L}/u.test(character)

/** The text without this one, where it stands as words of its own. */
function without(text: string, one: string): string {
  let rest = text
  for (let at = rest.indexOf(one); at >= 0; at = rest.indexOf(one, at + 1)) {
    const end = at + one.length
    if (isLetter(rest[at - 1]) && isLetter(rest[at])) continue
    if (isLetter(rest[end - 1]) && isLetter(rest[end])) continue
    rest = `${rest.slice(0, at)} ${rest.slice(end)}`
  }
  return rest
}

/** Texts on the page that are neither messages of the catalogue nor data. */
export async function textsOutsideCatalogue(
  page: Page,
  data: ReadonlySet<string>,
): Promise<string[]> {
  const texts = (await page.evaluate(outsideBrackets)) as string[]
  countryNames ??= (await page.evaluate(countries)) as string[]
  const inAddress = new URL(page.url()).pathname.split('/')
  const ours = [...properNames, ...examples, ...storedInEnglish]
  const known = [...data, ...inAddress, ...countryNames, ...ours]
    .map((text) => text.trim().replace(/\s+/g, ' '))
    .filter((text) => isLetter(text))
    .sort((one, other) => other.length - one.length)
  const compound = known.filter((one) => /[^\p{L}\d_]/u.test(one))
  const isData = (text: string) => {
    // Long texts are cut.
    const beginning = /^(.+)…$/.exec(text)?.[1]
    if (beginning !== undefined && known.some((one) => one.startsWith(beginning))) return true
    // Addresses and the like as a whole, before what looks like a code is taken out of them.
    let rest = text.replace(replies, ' ')
    for (const one of compound) rest = without(rest, one)
    rest = rest.replace(codes, ' ').replace(fromIntl, ' ')
    for (const one of known) {
      if (!isLetter(rest)) return true
      rest = without(rest, one)
    }
    return !isLetter(rest)
  }
  return texts.filter((text) => !initials.test(text) && !isData(text))
}
