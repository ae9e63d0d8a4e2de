import { recordMeasurement, rounds } from '@atrium/testing/measurements'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sample } from './hostile-texts.ts'

let testApp: TestApp
let owner: string
beforeAll(async () => {
  testApp = await startTestApp({
    provisioned: false,
    manyChanges: true,
    sandbox: { identity: { accessTokenSeconds: 3600 } },
  })
  owner = await testApp.token('owner@acme.test')
})
afterAll(() => testApp[Symbol.asyncDispose]())

const preview = (html: string, productName?: string) =>
  testApp.request('POST', '/tenants/acme/branding/preview', {
    token: owner,
    body: {
      template: 'booking.confirmed',
      draft: { subject: 'x', html, text: 'y' },
      ...(productName === undefined ? {} : { productName }),
    },
  })

/**
 * Ways to what a template has no business with: prototypes, globals, files, other templates, other
 * values, code.
 */
const reaching = [
  ...[
    'constructor',
    '__proto__',
    'prototype',
    'toString',
    'valueOf',
    'hasOwnProperty',
    '__defineGetter__',
    '__lookupGetter__',
  ].flatMap((name) => [
    `{{ product.${name} }}`,
    `{{ product["${name}"] }}`,
    `{{ booking.title.${name} }}`,
    `{{ booking.guests.${name} }}`,
    `{% assign k = "${name}" %}{{ product[k] }}`,
    `{{ ${name} }}`,
  ]),
  ...[
    'process',
    'globalThis',
    'global',
    'require',
    'module',
    'this',
    'self',
    'env',
    'config',
    'house',
    'context',
    'settings',
    'options',
    'liquid',
  ].flatMap((name) => [
    `{{ ${name} }}`,
    `{{ ${name}.env }}`,
    `{% for x in ${name} %}{{ x }}{% endfor %}`,
  ]),
  ...[
    'include',
    'render',
    'layout',
    'block',
    'capture',
    'tablerow',
    'increment',
    'decrement',
    'cycle',
    'liquid',
    'echo',
    'inline_comment',
  ].map((tag) => `{% ${tag} "../../../etc/passwd" %}`),
  ...[
    'date',
    'json',
    'raw',
    'map',
    'where',
    'group_by',
    'sort',
    'find',
    'inspect',
    'base64_decode',
    'url_decode',
    'escape_once',
    'strip_html',
    'sample',
    'uniq',
    'sum',
    'times',
    'concat',
    'push',
  ].map((filter) => `{{ product.name | ${filter}: "x" }}`),
  '{{ product | join: "," }}',
  '{% for pair in product %}{{ pair }}{% endfor %}',
  '{{ tenant.id }}{{ tenant.slug }}',
  '{{ member.password }}',
  '{{ link.manage }}{{ booking.manageToken }}',
  '{{ "{{ process.env }}" }}',
  '{{ booking.title | append: constructor }}',
  '{{ (1..9999999999) | size }}',
  '{% for i in (1..99999999) %}x{% endfor %}',
  '{{ product.name | constructor }}',
  '{{ product.name | __proto__ }}',
  '{{ product.name | toString }}',
  '{% constructor %}',
  '{% __proto__ %}',
]

/** Templates that try to cost much: time, memory, depth, output. */
const costly = [
  `{% assign a = "${'x,'.repeat(2_000)}" | split: "," %}${'{% for i in a %}'.repeat(4)}x${'{% endfor %}'.repeat(4)}`,
  `{% assign s = "xxxxxxxxxxxxxxxx" %}{% assign l = "${'x,'.repeat(300)}" | split: "," %}{% for i in l %}{% assign s = s | append: s %}{% endfor %}{{ s | size }}`,
  `{% assign s = "${'a'.repeat(20_000)}" | replace: "a", "${'b'.repeat(20_000)}" %}{{ s | size }}`,
  `{% assign s = "${'a'.repeat(3_000)}" | split: "" | join: "${'b'.repeat(20_000)}" %}{{ s | size }}`,
  '{% if true %}'.repeat(3_000) + '{% endif %}'.repeat(3_000),
  '{% if true %}'.repeat(3_000),
  `{{ "x"${' | append: "x"'.repeat(3_500)} }}`,
  `{% if ${'true and '.repeat(6_000)}true %}x{% endif %}`,
  `{{ product${'["name"]'.repeat(5_000)} }}`,
  `{% case booking.title %}${'{% when "a" %}b'.repeat(3_500)}{% endcase %}`,
  `${'{{ booking.title }}'.repeat(3_000)}`,
  `{% assign a = "${'x,'.repeat(9_000)}" | split: "," %}{% for i in a %}{{ a | join: "xxxxxxxxxx" }}{% endfor %}`,
  `{% assign s = "${'x '.repeat(20_000)}" %}{% assign l = "${'x,'.repeat(2_000)}" | split: "," %}{% for i in l %}{% assign t = s | truncatewords: 19999 %}{% endfor %}`,
  '{{ "'.repeat(9_000),
  '{% raw %}'.repeat(4_000),
  '{% comment %}'.repeat(4_000),
  `{{ "${'%'.repeat(50_000)}" | url_encode | url_encode | url_encode | url_encode | url_encode | url_encode | size }}`,
]

const secrets = () => [
  testApp.env.STRIPE_SECRET_KEY,
  testApp.env.IDP_API_TOKEN,
  testApp.env.ENCRYPTION_KEYS,
  testApp.env.DATABASE_URL,
  process.env.PATH,
  process.cwd(),
]
const inner = /\[object |native code|=> |root:x:0|node_modules|\bat .+\.(ts|js):\d+/

it('gives a template nothing but its variables', async () => {
  const wrong: string[] = []
  let rejected = 0
  for (const html of reaching) {
    const { status, body } = await preview(html)
    if (status === 400) rejected += 1
    else if (status !== 200) wrong.push(`${html}: ${status}`)
    const shown = JSON.stringify(body)
    if (inner.test(shown) || secrets().some((secret) => secret && shown.includes(secret)))
      wrong.push(`${html}: ${shown.slice(0, 200)}`)
  }
  await recordMeasurement({
    target: 'S8',
    what: 'templates that reach beyond their variables',
    measured: `${reaching.length} tried, ${rejected} refused, ${wrong.length} got anything`,
    reached: wrong.length === 0,
  })
  expect(wrong.slice(0, 3)).toEqual([])
})

it('ends a template that costs too much, and keeps what comes out of one small', async () => {
  const wrong: string[] = []
  let [slowest, longest] = [0, 0]
  const before = process.memoryUsage().heapUsed
  for (const html of costly) {
    const began = performance.now()
    const { status, body } = await preview(html.slice(0, 60_000))
    slowest = Math.max(slowest, performance.now() - began)
    if (status !== 200 && status !== 400) wrong.push(`${html.slice(0, 60)}: ${status}`)
    if (status === 200) longest = Math.max(longest, body.html.length)
  }
  const grown = (process.memoryUsage().heapUsed - before) / 1024 ** 2
  await recordMeasurement({
    target: 'S8',
    what: 'templates that cost much',
    measured: `${costly.length} tried, slowest answer ${Math.round(slowest)} ms, longest output ${longest} characters, heap ${grown > 0 ? '+' : ''}${grown.toFixed(0)} MiB`,
    reached: wrong.length === 0 && longest <= 300_000 && slowest < 2_000,
  })
  expect(wrong).toEqual([])
  expect(longest).toBeLessThanOrEqual(300_000)
})

const text = fc.constantFrom(
  '<',
  '>',
  '"',
  "'",
  '&',
  '&lt;',
  'lt;',
  'amp;',
  '#34;',
  'x',
  '',
  '<img src=x onerror=1>',
  '<br>',
  '%3C',
)
const quoted = text.map((value) => (value.includes('"') ? `'${value}'` : `"${value}"`))
const filter = fc.oneof(
  fc.constantFrom(
    'capitalize',
    'downcase',
    'escape',
    'first',
    'last',
    'lstrip',
    'newline_to_br',
    'rstrip',
    'size',
    'strip',
    'strip_newlines',
    'upcase',
    'url_encode',
  ),
  fc
    .tuple(fc.constantFrom('append', 'prepend', 'remove', 'split', 'join', 'default'), quoted)
    .map(([name, value]) => `${name}: ${value}`),
  fc.tuple(quoted, quoted).map(([from, to]) => `replace: ${from}, ${to}`),
  fc
    .tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: 1, max: 99 }))
    .map(([from, length]) => `slice: ${from}, ${length}`),
  fc.integer({ min: 1, max: 40 }).map((length) => `truncate: ${length}`),
)
const output = fc
  .array(filter, { maxLength: 5 })
  .map((filters) => `[${['{{ product.name', ...filters].join(' | ')} }}]`)

it('escapes a value in HTML whatever filters it went through', async () => {
  const count = rounds(150, 10_000)
  const wrong: string[] = []
  let shown = 0
  for (const html of sample(output, count, 41)) {
    const { status, body } = await preview(html, '<img src=x onerror=1>"\'&')
    if (status !== 200) {
      if (status !== 400) wrong.push(`${html}: ${status}`)
      continue
    }
    shown += 1
    // `<br>` is what one filter makes of line ends; everything else of a value is text.
    if (/[<>"']/.test(body.html.replaceAll('<br>\n', ''))) wrong.push(`${html}: ${body.html}`)
  }
  await recordMeasurement({
    target: 'S8',
    what: 'a value with HTML in it, through chains of filters',
    measured: `${count} chains, ${shown} rendered, ${wrong.length} with a character of markup`,
    reached: wrong.length === 0 && shown > count / 3,
  })
  expect(wrong.slice(0, 5)).toEqual([])
  expect(shown).toBeGreaterThan(count / 3)
})
