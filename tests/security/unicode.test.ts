import { drainOutbox } from '@atrium/api/outbox/drain'
import { overRest, routeOf } from '@atrium/testing/calls'
import { openLocations, type Places } from '@atrium/testing/matrix/world'
import { inFull, recordMeasurement, rounds } from '@atrium/testing/measurements'
import { callOf, inputWith, nameOf, type TextField, textFields } from '@atrium/testing/text-fields'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'

let places: Places
beforeAll(async () => {
  places = await openLocations()
})
afterAll(() => places[Symbol.asyncDispose]())

/** What goes wrong where text is taken for bytes, for characters, or for what it looks like. */
const characters: Readonly<Record<string, string>> = {
  'nothing odd': '',
  NUL: '\u0000',
  'an escape': '\u001b[2J',
  'a high surrogate alone': '\ud83d',
  'a low surrogate alone': '\ude00',
  'surrogates the wrong way round': '\ude00\ud83d',
  'a noncharacter': '\uffff',
  'the last code point': '\u{10ffff}',
  'a replacement character': '\ufffd',
  'a byte order mark': '\ufeff',
  'a zero-width space': '\u200b',
  'a zero-width joiner': '\u200d',
  'a soft hyphen': '\u00ad',
  'a no-break space': '\u00a0',
  'an ideographic space': '\u3000',
  'a line separator': '\u2028',
  'a next line': '\u0085',
  'a bidirectional override': '\u202egnp.exe',
  'a bidirectional isolate': '\u2066x\u2069',
  'Arabic and Latin': 'שלום عربى abc',
  composed: 'Ångström é ñ',
  decomposed: 'A\u030angstro\u0308m e\u0301 n\u0303',
  'many combining marks': `a${'\u0301'.repeat(20)}`,
  'a combining mark first': '\u0301a',
  'Hangul as parts': '\u1112\u1161\u11ab',
  'a family': '👨‍👩‍👧‍👦',
  'a flag': '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
  'a variation': '☎\ufe0f☎\ufe0e',
  'four bytes': '𝕬𝖈𝖒𝖊 𠜎',
  'full width': 'Ａｃｍｅ＜＞＂',
  'Cyrillic look-alikes': 'Асmе раураl',
  'Greek look-alikes': 'Αϲmε',
  'dotless and dotted i': 'İstanbul ısı',
  'sharp s': 'Straße ẞ',
  ligatures: 'ﬃ ﷺ ĳ',
  'Kelvin and Ångström signs': '\u212a \u212b',
  'superscripts and fractions': 'x² ½ ①',
  'an international domain': 'bücher.example',
  'its Punycode': 'xn--bcher-kva.example',
  'another dot': 'example。com',
  tags: '\u{e0041}\u{e0042}',
  'an unassigned code point': '\u0378',
  'a private one': '\ue000',
  'an interlinear annotation': '\ufff9x\ufffa',
  'percent escapes': '%00%ff%F0%9F%98%80',
  'JSON escapes': '\\u0000\\ud83d',
  'overlong UTF-8 as text': '\u00c0\u0080',
}
const kinds = Object.entries(characters)

interface Sent {
  field: TextField
  kind: string
  value: string
  status: number
}

/**
 * A text that can be found again wherever it went, with the odd characters in the middle and at the
 * end.
 */
const marked = (marker: string, odd: string) => `zq${marker}qz a${odd}b ${odd}`
const ofMarker = /zq(\d+)qz/

/**
 * What may become of a text that was taken: NFC, without blanks at its ends or invisible
 * separators, lower-cased, its line ends as one.
 */
function asSent(given: string): Set<string> {
  const value = given.replace(/[\u200b\u2060\ufeff]/g, '')
  const lines = value.replace(/\r\n?/g, '\n')
  const forms = [value, lines].flatMap((text) => [
    text,
    text.normalize('NFC'),
    text.normalize('NFC').trim(),
    text.trim(),
  ])
  return new Set(forms.flatMap((text) => [text, text.toLowerCase()]))
}

it('stores every text as it was sent, or rejects it', async () => {
  const { testApp } = places
  // Those in the address are below.
  const fields = textFields().filter(
    ({ writes, procedure, path }) => writes && !routeOf(procedure).path.includes(`{${path[0]}}`),
  )
  expect(fields.length).toBeGreaterThan(100)
  expect(kinds.length).toBeGreaterThanOrEqual(40)
  const sent: Sent[] = []
  const failures: string[] = []
  let turn = 0
  for (const field of fields) {
    const { row, caller } = callOf(field)
    let world: Awaited<ReturnType<Places['build']>> | undefined
    const some = inFull ? kinds : [kinds[turn++ % kinds.length] ?? ['', '']]
    for (const [kind, odd] of some) {
      world ??= await places.build(caller)
      const value = marked(String(sent.length), odd)
      const input = await inputWith(field, row, world, value).catch(() => undefined)
      const response = input && (await overRest(testApp, field.procedure, input, world.token))
      sent.push({ field, kind, value, status: response?.status ?? 0 })
      if (!response || response.status < 400 || response.status === 409) world = undefined
      // An unavailable upstream system returns 502 to 504 whatever was sent; 500 is an internal
      // error.
      if (response?.status === 500)
        failures.push(`${nameOf(field)}, ${kind}: ${JSON.stringify(response.body)}`)
    }
  }
  await drainOutbox(testApp.app.services)
  const changed = await storedOtherwise(sent)
  const taken = sent.filter(({ status }) => status >= 200 && status < 300)
  const reachedFields = new Set(taken.map(({ field }) => nameOf(field)))
  await recordMeasurement({
    target: 'S12',
    what: `${kinds.length} kinds of characters in ${fields.length} texts of every writing call`,
    measured: `${sent.length} calls: ${taken.length} taken (in ${reachedFields.size} fields), ${sent.length - taken.length} refused, ${failures.length} failed; ${changed.found} texts found again in database and upstream systems, ${changed.wrong.length} other than sent`,
    reached: failures.length === 0 && changed.wrong.length === 0 && changed.found > 0,
  })
  expect(failures.slice(0, 5)).toEqual([])
  expect(changed.wrong.slice(0, 10)).toEqual([])
  expect(changed.found).toBeGreaterThan(0)
})

/**
 * Looks through every column of every table and every record outside for the marked texts; what a
 * search of the log goes by is in lower case.
 */
async function storedOtherwise(sent: readonly Sent[]): Promise<{ found: number; wrong: string[] }> {
  const { testApp } = places
  const wrong: string[] = []
  let found = 0
  const tables = await sql<{ name: string }>`
    select c.relname as name from pg_class c where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and not c.relispartition and has_table_privilege(c.oid, 'select') and c.relname <> 'audit_values'`.execute(
    testApp.database.db,
  )
  const look = (place: string, value: unknown) => {
    for (const text of textsIn(value)) {
      const one = sent[Number(ofMarker.exec(text)?.[1] ?? -1)]
      if (!one) continue
      found += 1
      // Slugs, and addresses made of them, are written in a small alphabet of their own.
      if (/zq\d+qz(-[a-z0-9]+)*(\.tenants\.local)?$/.test(text)) continue
      // A text within a longer one, as in a note of the log, has to be there as a whole.
      if (![...asSent(one.value)].some((form) => text === form || text.includes(form)))
        wrong.push(
          `${nameOf(one.field)}, ${one.kind}: ${JSON.stringify(one.value)} is ${JSON.stringify(text)} in ${place}`,
        )
      if (one.status >= 400 && place !== 'audit_events')
        wrong.push(
          `${nameOf(one.field)}, ${one.kind}: refused with ${one.status} and stored in ${place}`,
        )
    }
  }
  for (const { name } of tables.rows) {
    const { rows } = await sql<{
      row: unknown
    }>`select to_jsonb(t) as row from ${sql.table(name)} t where to_jsonb(t)::text like '%zq%qz%'`.execute(
      testApp.database.db,
    )
    for (const { row } of rows) look(name, row)
  }
  for (const [system, { records }] of Object.entries(testApp.sandbox.state()))
    look(`the records of ${system}`, records)
  return { found, wrong }
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null
    ? [
        ...Object.keys(value).filter((key) => ofMarker.test(key)),
        ...Object.values(value).flatMap(textsIn),
      ]
    : []
}

it('handles an address or a query with unusual characters', async () => {
  const { testApp } = places
  const world = await places.build('operator')
  const failures: string[] = []
  let asked = 0
  const paths = [
    '/tenants/{}',
    '/tenants?q={}',
    '/users/{}',
    '/audit?actorEmail={}',
    '/audit?q={}',
    '/partners/{}',
    '/flags/{}',
    '/api/v1/pages/{}',
    '/api/v1/pages/acme/{}',
    '/tenants/acme/domains/{}',
  ]
  const every = rounds(6, 1)
  const values = [...kinds.map(([, odd]) => `a${odd}b`), ...kinds.map(([, odd]) => odd)].filter(
    (_, index) => index % every === 0,
  )
  for (const path of paths) {
    for (const value of values) {
      const encoded = [
        encodeURIComponent(value.toWellFormed()),
        ...(value.isWellFormed() ? [] : ['a%ED%A0%BDb', 'a%C0%80b', 'a%FFb']),
      ]
      for (const text of encoded) {
        const { status, body } = await testApp.request('GET', path.replace('{}', text), {
          token: world.token,
          headers: { 'x-forwarded-for': '198.51.100.1' },
        })
        asked += 1
        if (status >= 500 || (status === 200 && body === ''))
          failures.push(`${path} ${text}: ${status}`)
      }
    }
  }
  await recordMeasurement({
    target: 'S12',
    what: 'the same in addresses and queries',
    measured: `${asked} requests to ${paths.length} addresses, ${failures.length} failed`,
    reached: failures.length === 0,
  })
  expect(failures).toEqual([])
})
