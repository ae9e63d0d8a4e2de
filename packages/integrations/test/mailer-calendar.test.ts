import { type Sandbox, startSandbox } from '@atrium/sandbox/start'
import ICAL from 'ical.js'
import PostalMime from 'postal-mime'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { OutgoingMail } from '../src/mailer/port.ts'
import { smtp } from '../src/mailer/smtp.ts'

let sandbox: Sandbox

beforeAll(async () => {
  sandbox = await startSandbox()
})
afterAll(() => sandbox.close())
beforeEach(() => sandbox.reset())

const summary = `Gespräch über ${'Größe '.repeat(30)}👋`
/** A calendar object with lines that are folded and characters of several octets. */
const calendarObject = (method: 'REQUEST' | 'CANCEL') =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Atrium//Test//EN',
    `METHOD:${method}`,
    'BEGIN:VEVENT',
    'UID:booking-1@acme.test',
    'DTSTAMP:20270601T000000Z',
    'DTSTART:20270604T120000Z',
    'DTEND:20270604T123000Z',
    `SUMMARY:${summary.replaceAll(' ', '\r\n  ')}`,
    'DESCRIPTION:line\\nline',
    `STATUS:${method === 'CANCEL' ? 'CANCELLED' : 'CONFIRMED'}`,
    'ORGANIZER;CN="Anna Größer":mailto:anna@acme.test',
    'ATTENDEE;CN="Vera":mailto:vera@example.org',
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n')
const content = calendarObject('REQUEST')
const mail: OutgoingMail = {
  from: 'Anna Größer via Acme <no-reply@atrium.test>',
  replyTo: 'Anna Größer <anna@acme.test>',
  to: 'Vera <vera@example.org>',
  subject: 'Confirmed',
  text: 'Hello',
  html: '<p>Hello</p>',
  messageId: '<booking-1@atrium.test>',
  calendar: { method: 'REQUEST', content },
}

/** The message as it came over the wire. */
async function caught(): Promise<string> {
  const { messages } = sandbox.state().smtp.records as { messages: { id: string }[] }
  expect(messages).toHaveLength(1)
  return (await fetch(`${sandbox.smtpPageUrl}/messages/${messages[0]?.id}/raw`)).text()
}

interface Part {
  type: string
  headers: string
  body: string
  parts: Part[]
}

/** A strict reading of RFC 2046, to see the structure that readers for mail programs flatten. */
function partOf(raw: string): Part {
  const cut = raw.indexOf('\r\n\r\n')
  const headers = raw.slice(0, cut).replace(/\r\n[ \t]+/g, ' ')
  const body = raw.slice(cut + 4)
  const type = /^content-type: *(.*)$/im.exec(headers)?.[1] ?? 'text/plain'
  const boundary = /boundary="?([^";]+)"?/i.exec(type)?.[1]
  const parts =
    boundary === undefined
      ? []
      : body.split(new RegExp(`(?:^|\r\n)--${escaped(boundary)}(?:--)?(?:\r\n|$)`)).slice(1, -1)
  return { type, headers, body, parts: parts.map(partOf) }
}
const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

function decoded({ headers, body }: Part): string {
  const encoding = /^content-transfer-encoding: *(\S+)/im.exec(headers)?.[1]?.toLowerCase()
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString()
  if (encoding !== 'quoted-printable') return body
  const octets = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  return Buffer.from(octets, 'latin1').toString()
}

describe('a mail with a calendar object', () => {
  it('has it last among the alternatives and once more as a file, both with the method within', async () => {
    await smtp({ url: sandbox.smtpUrl }).send(mail)
    const message = partOf(await caught())
    expect(message.type).toMatch(/^multipart\/mixed/)
    const [alternative, file, ...rest] = message.parts
    expect(rest).toEqual([])
    expect(alternative?.type).toMatch(/^multipart\/alternative/)
    expect(alternative?.parts.map(({ type }) => type.split(';')[0])).toEqual([
      'text/plain',
      'text/html',
      'text/calendar',
    ])
    const calendar = alternative?.parts[2] as Part
    expect(calendar.type).toMatch(/charset="?utf-8"?/i)
    expect(calendar.type).toMatch(/method="?REQUEST"?/)
    expect(file?.type).toMatch(/^application\/ics/)
    expect(file?.headers).toMatch(/content-disposition: *attachment; *filename="?invite\.ics"?/i)
    for (const part of [calendar, file as Part]) {
      const text = decoded(part)
      expect(text.trimEnd()).toBe(content.trimEnd())
      const parsed = new ICAL.Component(ICAL.parse(text))
      expect(parsed.getFirstPropertyValue('method')).toBe('REQUEST')
      const event = parsed.getFirstSubcomponent('vevent')
      expect([
        event?.getFirstPropertyValue('uid'),
        event?.getFirstPropertyValue('summary'),
      ]).toEqual(['booking-1@acme.test', summary])
    }
  })

  it('keeps the octets of the wire within ASCII and its lines short', async () => {
    await smtp({ url: sandbox.smtpUrl }).send(mail)
    const raw = await caught()
    for (const line of raw.split('\r\n')) {
      expect(line).toMatch(/^[\t\x20-\x7e]*$/)
      expect(line.length).toBeLessThanOrEqual(998)
    }
  })

  it('asks for answers to the host, in whose name the platform sends', async () => {
    await smtp({ url: sandbox.smtpUrl }).send(mail)
    const parsed = await PostalMime.parse(await caught())
    expect(parsed.from).toMatchObject({
      name: 'Anna Größer via Acme',
      address: 'no-reply@atrium.test',
    })
    expect(parsed.replyTo).toMatchObject([{ name: 'Anna Größer', address: 'anna@acme.test' }])
  })

  it('that takes a meeting back says so in the part as well', async () => {
    const cancelled = calendarObject('CANCEL')
    await smtp({ url: sandbox.smtpUrl }).send({
      ...mail,
      calendar: { method: 'CANCEL', content: cancelled },
    })
    const part = partOf(await caught()).parts[0]?.parts[2]
    expect(part?.type).toMatch(/method="?CANCEL"?/)
    expect(decoded(part as Part)).toContain('\r\nSTATUS:CANCELLED\r\n')
  })

  it.each([
    ['a method that the object does not have', { calendar: { method: 'CANCEL', content } }],
    [
      'an object without a method',
      { calendar: { method: 'REQUEST', content: content.replace('METHOD:REQUEST\r\n', '') } },
    ],
    ['a second address to answer to', { replyTo: 'anna@acme.test, eve@evil.test' }],
    ['a line end in the address to answer to', { replyTo: 'anna@acme.test\r\nBcc: eve@evil.test' }],
    [
      'a line end in the name to answer to',
      { replyTo: 'Anna\r\nBcc: eve@evil.test <anna@acme.test>' },
    ],
  ] as const)('is refused with %s, before anything is sent', async (_, change) => {
    await expect(smtp({ url: sandbox.smtpUrl }).send({ ...mail, ...change })).rejects.toMatchObject(
      { kind: 'refused', status: undefined },
    )
    expect(sandbox.state().smtp.records).toMatchObject({ messages: [] })
  })
})
