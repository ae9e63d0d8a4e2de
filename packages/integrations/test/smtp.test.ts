import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { parseMailbox } from '../src/mailer/addresses.ts'
import { smtp } from '../src/mailer/smtp.ts'
import { smtpServer } from '../src/mailer/smtp-server-address.ts'
import { smtpDialogue } from './smtp-dialogue.ts'

const password = 'PASSWORD-CANARY-c0de'
const canary = 'REPLY-CANARY-11aa'
const reply = `5.7.1 <anna@acme.test>: ${canary} [x] Anna unknown`
const words = `5.7.1 (address) ${canary} (x) (address) unknown`
const quick = { backoffMs: { initial: 1, max: 2 } }
const mail = {
  from: 'Atrium <no-reply@atrium.test>',
  to: 'anna@acme.test',
  subject: 'Grüße',
  text: 'Hello',
}
const url = (port: number) => `smtp://user:${password}@127.0.0.1:${port}`

describe('send', () => {
  it('hands one message to the server, with the id it was given', async () => {
    await using server = await smtpDialogue()
    const sent = await smtp({ ...quick, url: url(server.port) }).send({
      ...mail,
      html: '<p>Hello</p>',
      headers: { 'Auto-Submitted': 'auto-generated' },
      messageId: '<booking-1@atrium.test>',
    })
    expect(sent).toEqual({ messageId: '<booking-1@atrium.test>' })
    expect(server.commands.filter((command) => /^(MAIL|RCPT)/.test(command))).toEqual([
      'MAIL FROM:<no-reply@atrium.test>',
      'RCPT TO:<anna@acme.test>',
    ])
    const [message] = server.messages
    expect(message).toContain('From: Atrium <no-reply@atrium.test>')
    expect(message).toContain('Message-ID: <booking-1@atrium.test>')
    expect(message).toContain('Auto-Submitted: auto-generated')
    expect(message).toContain('multipart/alternative')
  })

  it('gives the message an id when it has none', async () => {
    await using server = await smtpDialogue()
    const { messageId } = await smtp({ ...quick, url: url(server.port) }).send(mail)
    expect(messageId).toMatch(/^<[^@\s]+@atrium\.test>$/)
    expect(server.messages[0]).toContain(`Message-ID: ${messageId}`)
  })

  it.each([
    ['a line break in the subject', { subject: 'Hi\r\nBcc: eve@evil.test' }],
    ['a NUL in the subject', { subject: 'Hi\u0000' }],
    ['a line separator in the subject', { subject: 'Hi\u2028there' }],
    ['a line break in the recipient', { to: 'anna@acme.test\r\nRCPT TO:<eve@evil.test>' }],
    ['a line break in a name', { from: 'Atrium\nX: y <no-reply@atrium.test>' }],
    ['two recipients', { to: 'anna@acme.test, eve@evil.test' }],
    ['a recipient in the name of another', { to: 'anna@acme.test <eve@evil.test> <x@y.test>' }],
    ['no recipient', { to: '' }],
    ['a quoted local part', { to: '"a b"@acme.test' }],
    ['a header name with a colon', { headers: { 'X-A: b\r\nBcc': 'x' } }],
    ['a header value with a line break', { headers: { 'X-A': 'b\r\nBcc: eve@evil.test' } }],
    ['a message id with a line break', { messageId: '<a@b>\r\nBcc: eve@evil.test' }],
  ])('refuses %s before it connects', async (_, change) => {
    await using server = await smtpDialogue()
    await expect(
      smtp({ ...quick, url: url(server.port) }).send({ ...mail, ...change }),
    ).rejects.toMatchObject({
      kind: 'refused',
      status: undefined,
    })
    expect(server.commands).toEqual([])
  })

  it.each([
    ['550 at the recipient', { RCPT: `550 ${reply}` }, { kind: 'refused', status: 550 }],
    ['450 at the recipient', { RCPT: `450 ${reply}` }, { kind: 'server', status: 450 }],
    ['553 at the sender', { MAIL: `553 ${reply}` }, { kind: 'refused', status: 553 }],
    ['554 at the message', { '.': `554 ${reply}` }, { kind: 'refused', status: 554 }],
    ['452 at the message', { '.': `452 ${reply}` }, { kind: 'server', status: 452 }],
    ['421 at the greeting', { greeting: `421 ${reply}` }, { kind: 'server', status: 421 }],
    ['535 at sign-in', { AUTH: `535 ${reply}` }, { kind: 'unauthorized', status: 535 }],
    ['454 at sign-in', { AUTH: `454 ${reply}` }, { kind: 'server', status: 454 }],
    ['something else than SMTP', { greeting: `HTTP/1.1 400 ${reply}` }, { kind: 'invalid_answer' }],
    [
      'a reset after the message',
      { '.': (socket: { destroy(): void }) => socket.destroy() },
      { kind: 'connection' },
    ],
    [
      'a reset at once',
      { greeting: (socket: { destroy(): void }) => socket.destroy() },
      { kind: 'connection' },
    ],
    ['silence', { greeting: undefined }, { kind: 'timeout' }],
    ['silence after the message', { '.': undefined }, { kind: 'timeout' }],
  ])(
    'tells %s by its meaning, once, and in the words of the server without addresses',
    async (name, dialogue, expected) => {
      const outcomes: string[] = []
      await using server = await smtpDialogue(dialogue)
      const mailer = smtp({
        ...quick,
        url: url(server.port),
        onCall: (report) => outcomes.push(report.outcome),
        ...(name.startsWith('silence') && { deadlineMs: 80 }),
      })
      const error: unknown = await mailer.send(mail).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ system: 'smtp', call: 'send', ...expected })
      expect(outcomes).toEqual([expected.kind])
      const shown = inspect(error, { depth: 10, showHidden: true })
      for (const secret of [password, 'anna@acme.test', '127.0.0.1'])
        expect(shown).not.toContain(secret)
      // What a server says to a password is not repeated.
      if ('status' in expected && !name.endsWith('sign-in'))
        expect(String(error)).toContain(`it replied "${expected.status} ${words}"`)
      else expect(shown).not.toContain(canary)
    },
  )

  it('never sends a password in the clear to another machine', () => {
    expect(smtpServer('smtp://user:secret@mail.example')).toMatchObject({
      port: 587,
      secure: false,
      requireTLS: true,
    })
    expect(smtpServer('smtps://user:secret@mail.example')).toMatchObject({
      port: 465,
      secure: true,
    })
    expect(smtpServer('smtp://user:secret@localhost:2525')).toMatchObject({ requireTLS: false })
    expect(smtpServer('smtp://relay.example')).toMatchObject({ requireTLS: false })
    expect(smtpServer('smtp://user:secret@relay.example?requireTLS=false')).toMatchObject({
      requireTLS: false,
    })
    expect(smtpServer('smtp://us%40er:p%2Fw@[::1]:25')).toEqual({
      host: '::1',
      port: 25,
      secure: false,
      requireTLS: false,
      auth: { user: 'us@er', pass: 'p/w' },
    })
  })

  it('stops when TLS is demanded and not offered', async () => {
    await using server = await smtpDialogue()
    await expect(
      smtp({ ...quick, url: `${url(server.port)}?requireTLS=true` }).send(mail),
    ).rejects.toMatchObject({
      kind: 'connection',
      message: expect.stringContaining('TLS cannot be agreed upon'),
    })
    expect(server.commands.some((command) => command.startsWith('AUTH'))).toBe(false)
    expect(server.messages).toEqual([])
  })
})

describe('check', () => {
  it('signs in and sends nothing', async () => {
    await using server = await smtpDialogue()
    await smtp({ ...quick, url: url(server.port) }).check()
    expect(server.commands.some((command) => command.startsWith('AUTH PLAIN'))).toBe(true)
    expect(server.messages).toEqual([])
  })

  it('names the sender, and takes it back', async () => {
    await using server = await smtpDialogue()
    await smtp({ ...quick, url: url(server.port), from: 'Atrium <hello@atrium.test>' }).check()
    const words = server.commands.map((command) => command.replace(/^AUTH PLAIN .*/, 'AUTH PLAIN'))
    expect(words.filter((word) => !/^(EHLO|QUIT)/.test(word))).toEqual([
      'AUTH PLAIN',
      'MAIL FROM:<hello@atrium.test>',
      'RSET',
    ])
    expect(server.messages).toEqual([])
  })

  it('says in the words of the server that the sender is rejected', async () => {
    await using server = await smtpDialogue({
      MAIL: '501 5.5.4 You are not allowed to send from this address <hello@atrium.test>.',
    })
    const mailer = smtp({ ...quick, url: url(server.port), from: 'hello@atrium.test' })
    await expect(mailer.check()).rejects.toMatchObject({
      kind: 'refused',
      status: 501,
      message:
        'The outgoing mail server rejected the request: it replied "501 5.5.4 You are not allowed to send from this address (address)". [smtp.check: 501, refused]',
    })
    expect(server.commands).toContain('RSET')
  })

  it('takes a sender that is put off for a server that fails', async () => {
    await using server = await smtpDialogue({ MAIL: '451 4.7.1 Later' })
    await expect(
      smtp({ ...quick, url: url(server.port), from: 'hello@atrium.test' }).check(),
    ).rejects.toMatchObject({
      kind: 'server',
      status: 451,
    })
  })

  it('tries again when the connection breaks, and not when the password is wrong', async () => {
    const outcomes: string[] = []
    let greetings = 0
    await using flaky = await smtpDialogue({
      greeting: (socket) => {
        greetings += 1
        if (greetings === 1) socket.destroy()
        else socket.write('220 mail.test ready\r\n')
      },
    })
    await smtp({
      ...quick,
      url: url(flaky.port),
      onCall: (report) => outcomes.push(report.outcome),
    }).check()
    expect(outcomes).toEqual(['connection', 'ok'])
    await using wrong = await smtpDialogue({ AUTH: '535 no' })
    await expect(smtp({ ...quick, url: url(wrong.port) }).check()).rejects.toMatchObject({
      kind: 'unauthorized',
      status: 535,
    })
    expect(wrong.commands.filter((command) => command.startsWith('EHLO'))).toHaveLength(1)
  })

  it.each(['http://mail.test', 'smtp://', 'not an address', `imap://user:${password}@x`])(
    'refuses to be made with %j and does not quote the address',
    (text) => {
      expect(() => smtp({ url: text })).toThrow(
        'The address of the outgoing mail server must be smtp://host or smtps://host.',
      )
    },
  )
})

describe('parseMailbox', () => {
  it.each([
    ['anna@acme.test', { name: '', address: 'anna@acme.test' }],
    ['Anna <anna@acme.test>', { name: 'Anna', address: 'anna@acme.test' }],
    ['"Berg, Anna" <anna@acme.test>', { name: 'Berg, Anna', address: 'anna@acme.test' }],
    ['<anna@acme.test>', { name: '', address: 'anna@acme.test' }],
    ['anna', undefined],
    ['anna@', undefined],
    ['a@b@c', undefined],
    ['Anna <anna@acme.test> trailing', undefined],
  ])('reads %j', (text, expected) => {
    expect(parseMailbox(text)).toEqual(expected)
  })
})
