import { createTransport, type SendMailOptions } from 'nodemailer'
import { describe, expect, it } from 'vitest'
import { createCallLog } from '../src/call-log.ts'
import { createFaults, type FaultInput } from '../src/faults.ts'
import { listen } from '../src/serve.ts'
import type { Message } from '../src/smtp/messages.ts'
import { createSmtp, type SmtpOptions } from '../src/smtp/system.ts'

async function openSmtp(options: SmtpOptions = {}) {
  const faults = createFaults()
  const calls = createCallLog()
  let changes = 0
  const system = createSmtp(
    {
      faults,
      calls,
      now: () => Date.UTC(2026, 7, 20, 10),
      changed: () => {
        changes += 1
      },
      origin: () => '',
      seed: 'demo',
    },
    options,
  )
  const port = await system.listen(0, '127.0.0.1')
  const page = await listen(system.listener, 0, '127.0.0.1', 'smtpPage')
  const url = `http://127.0.0.1:${page.port}`
  const send = (mail: SendMailOptions, auth?: { user: string; pass: string }) =>
    createTransport({
      host: '127.0.0.1',
      port,
      ignoreTLS: true,
      socketTimeout: 1_000,
      ...(auth && { auth }),
    }).sendMail({
      from: 'Acme <team@acme.test>',
      to: 'paul@example.test',
      subject: 'Hello',
      text: 'Hello Paul',
      ...mail,
    })
  return {
    system,
    faults,
    calls,
    url,
    port,
    send,
    changes: () => changes,
    fault: (input: Omit<FaultInput, 'system'>) =>
      faults.add({ system: 'smtp', times: 1, ...input }),
    fetch: (path: string, init?: RequestInit) =>
      fetch(`${url}${path}`, { redirect: 'manual', ...init }),
    list: async (query = ''): Promise<readonly Message[]> =>
      ((await (await fetch(`${url}/messages${query}`)).json()) as { items: Message[] }).items,
    async [Symbol.asyncDispose]() {
      await system.close()
      await page.close()
    },
  }
}

describe('catching mail', () => {
  it('keeps a message with its parts, headers and envelope', async () => {
    await using smtp = await openSmtp()
    await smtp.send({
      cc: 'Cora <cora@example.test>',
      subject: 'Grüße & <b>',
      text: 'Plain\n\nhttps://acme.test/manage?a=1&b=2',
      html: '<p>Rich <a href="https://acme.test/manage?a=1&amp;b=2">link</a></p>',
      headers: { 'X-Tenant': 'acme' },
      attachments: [
        {
          filename: 'invite.pdf',
          content: Buffer.from([0, 1, 2, 255]),
          contentType: 'application/pdf',
        },
      ],
    })
    const items = await smtp.list()
    expect(items).toMatchObject([
      {
        subject: 'Grüße & <b>',
        from: { name: 'Acme', address: 'team@acme.test' },
        to: [{ name: '', address: 'paul@example.test' }],
        cc: [{ name: 'Cora', address: 'cora@example.test' }],
        envelope: { from: 'team@acme.test', to: ['paul@example.test', 'cora@example.test'] },
        receivedAt: '2026-08-20T10:00:00.000Z',
        attachments: [{ filename: 'invite.pdf', mimeType: 'application/pdf', size: 4 }],
      },
    ])
    const message = (await (await smtp.fetch(`/messages/${items[0]?.id}`)).json()) as Message
    expect(message.text).toContain('Plain')
    expect(message.html).toContain('<p>Rich')
    expect(message.headers).toContainEqual({ name: 'X-Tenant', value: 'acme' })
    expect(smtp.changes()).toBe(1)
  })

  it('takes any credentials and notes the name', async () => {
    await using smtp = await openSmtp()
    await smtp.send({}, { user: 'someone', pass: 'anything' })
    expect(smtp.system.messages.list()).toMatchObject([{ user: 'someone' }])
  })

  it('keeps only the newest messages and lists the newest first', async () => {
    await using smtp = await openSmtp({ keep: 2 })
    for (const subject of ['one', 'two', 'three']) await smtp.send({ subject })
    expect((await smtp.list()).map((item) => item.subject)).toEqual(['three', 'two'])
  })

  it('finds the messages of a recipient, without regard to case', async () => {
    await using smtp = await openSmtp()
    await smtp.send({ to: 'Anna@example.test', subject: 'for Anna' })
    await smtp.send({ to: 'ben@example.test', subject: 'for Ben' })
    expect(await smtp.list('?to=anna@example.test')).toMatchObject([{ subject: 'for Anna' }])
  })

  it('gives saved messages back to another run, and numbers on', async () => {
    await using first = await openSmtp()
    await first.send({ subject: 'kept' })
    await using second = await openSmtp()
    second.system.load(JSON.parse(JSON.stringify(first.system.save())))
    await second.send({ subject: 'new' })
    expect(await second.list()).toMatchObject([
      { id: '2', subject: 'new' },
      { id: '1', subject: 'kept' },
    ])
    second.system.reset()
    expect(await second.list()).toEqual([])
  })
})

describe('the page', () => {
  it('shows a message without letting it run, fetch or forge anything', async () => {
    await using smtp = await openSmtp()
    await smtp.send({
      subject: '<script>alert(1)</script>',
      text: 'see https://acme.test/a',
      html: '<script>alert(2)</script><img src="cid:logo"><a href="javascript:alert(3)">x</a><a href="https://acme.test/b?c=1&amp;d=2">y</a>',
      attachments: [
        {
          filename: '../<logo>.png',
          content: Buffer.from([1, 2, 3]),
          contentType: 'image/png',
          cid: 'logo',
        },
      ],
    })
    const list = await (await smtp.fetch('/')).text()
    expect(list).toContain('&lt;script&gt;alert(1)')
    expect(list).not.toContain('<script')

    const view = await smtp.fetch('/view/1')
    const html = await view.text()
    expect(html).not.toContain('<script')
    expect(html).toContain('sandbox="allow-popups allow-popups-to-escape-sandbox"')
    expect(html).toContain('href="https://acme.test/b?c=1&amp;d=2"')
    expect(html).not.toContain('href="javascript:')
    expect(view.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(view.headers.get('content-security-policy')).toContain("frame-src 'self'")

    const frame = await smtp.fetch('/messages/1/html')
    expect(frame.headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/)
    expect(frame.headers.get('content-security-policy')).not.toContain('script')
    expect(await frame.text()).toContain('src="data:image/png;base64,AQID"')
  })

  it('hands out attachments and the whole message as downloads', async () => {
    await using smtp = await openSmtp()
    await smtp.send({
      attachments: [
        {
          filename: "o'brien ü.pdf",
          content: Buffer.from([0, 1, 2, 255]),
          contentType: 'application/pdf',
        },
      ],
    })
    const attachment = await smtp.fetch('/messages/1/attachments/0')
    expect(attachment.headers.get('content-disposition')).toBe(
      "attachment; filename*=UTF-8''o%27brien%20%C3%BC.pdf",
    )
    expect(attachment.headers.get('x-content-type-options')).toBe('nosniff')
    expect(new Uint8Array(await attachment.arrayBuffer())).toEqual(Uint8Array.of(0, 1, 2, 255))
    expect(await (await smtp.fetch('/messages/1/raw')).text()).toContain('Subject: Hello')
  })

  it('empties the box over JSON and by its form, but not for another site', async () => {
    await using smtp = await openSmtp()
    await smtp.send({})
    expect(
      (await smtp.fetch('/clear', { method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } }))
        .status,
    ).toBe(403)
    expect(await smtp.list()).toHaveLength(1)
    expect(
      (await smtp.fetch('/clear', { method: 'POST', headers: { 'sec-fetch-site': 'same-origin' } }))
        .status,
    ).toBe(303)
    expect(await smtp.list()).toEqual([])
    await smtp.send({})
    expect((await smtp.fetch('/messages', { method: 'DELETE' })).status).toBe(204)
    expect(await (await smtp.fetch('/')).text()).toContain('No message yet')
  })

  it.each([
    '/view/9',
    '/messages/9',
    '/messages/9/html',
    '/messages/9/raw',
    '/messages/9/attachments/0',
    '/messages/1/attachments/x',
  ])('answers 404 for %s', async (path) => {
    await using smtp = await openSmtp()
    await smtp.send({})
    expect((await smtp.fetch(path)).status).toBe(404)
  })
})

describe('faults', () => {
  it.each([
    { status: undefined, expected: 451 },
    { status: 421, expected: 421 },
    { status: 552, expected: 552 },
  ])('refuses a message with $expected and does not keep it', async ({ status, expected }) => {
    await using smtp = await openSmtp()
    smtp.fault({ mode: 'error', ...(status !== undefined && { status }) })
    await expect(smtp.send({})).rejects.toMatchObject({ responseCode: expected })
    expect(smtp.system.messages.list()).toEqual([])
    expect(smtp.calls.list()).toMatchObject([
      { method: 'SMTP', status: expected, fault: { mode: 'error' } },
    ])
    await smtp.send({ subject: 'afterwards' })
    expect(smtp.system.messages.list()).toMatchObject([{ subject: 'afterwards' }])
  })

  it.each(['CONNECT', 'MAIL FROM:<team@acme.test>', 'RCPT TO:<paul@example.test>'])(
    'refuses the command %s',
    async (match) => {
      await using smtp = await openSmtp()
      smtp.fault({ mode: 'error', match, status: 550 })
      await expect(smtp.send({})).rejects.toMatchObject({ responseCode: 550 })
      expect(smtp.system.messages.list()).toEqual([])
    },
  )

  it.each(['reset', 'garbage', 'shape'] as const)('fails the client with %s', async (mode) => {
    await using smtp = await openSmtp()
    smtp.fault({ mode })
    await expect(smtp.send({})).rejects.toThrow()
    expect(smtp.system.messages.list()).toEqual([])
  })

  it('drops the connection after the message was kept', async () => {
    await using smtp = await openSmtp()
    smtp.fault({ mode: 'reset', after: true })
    await expect(smtp.send({ subject: 'kept all the same' })).rejects.toThrow()
    expect(smtp.system.messages.list()).toMatchObject([{ subject: 'kept all the same' }])
  })

  it('never responds, until the client gives up', async () => {
    await using smtp = await openSmtp()
    smtp.fault({ mode: 'timeout' })
    await expect(smtp.send({})).rejects.toMatchObject({ code: 'ETIMEDOUT' })
    expect(smtp.system.messages.list()).toEqual([])
  })

  it('responds late', async () => {
    await using smtp = await openSmtp()
    smtp.fault({ mode: 'latency', delayMs: 20 })
    await smtp.send({ subject: 'late' })
    expect(smtp.calls.list()).toMatchObject([{ status: 250, fault: { mode: 'latency' } }])
  })

  it('names a port that is taken', async () => {
    await using smtp = await openSmtp()
    const other = createSmtp({
      faults: createFaults(),
      calls: createCallLog(),
      now: Date.now,
      changed: () => {},
      origin: () => '',
      seed: 'demo',
    })
    await expect(other.listen(smtp.port, '127.0.0.1')).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })
})
