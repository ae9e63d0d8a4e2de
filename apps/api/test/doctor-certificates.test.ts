import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { freePort } from '@atrium/db/server/free-port'
import type { DnsResolver } from '@atrium/integrations/dns/port'
import { describe, expect, it } from 'vitest'
import { checkCertificates, type MailPorts } from '../src/admin/checks/certificates.ts'
import { readConfig } from '../src/platform/config.ts'
import { startSmtpServer, startTlsServer } from './certificates.ts'

const env = {
  DATABASE_URL: 'postgres://atrium_api@db.test/atrium',
  IDP_ISSUER: 'http://localhost/portal/,http://localhost/operator/',
  IDP_AUDIENCE: 'portal,operator',
}
const dns: DnsResolver = {
  lookup: async () => ({ state: 'found', values: ['10 localhost'] }),
}

describe('the certificate of an address of the settings', () => {
  const check = (port: number, options: { now: Date; ca?: string }) =>
    checkCertificates(readConfig({ ...env, PORTAL_URL: `https://localhost:${port}` }), dns, options)

  it('is valid for two weeks at least, and trusted', async () => {
    await using server = await startTlsServer(60)
    const now = new Date()
    const later = (days: number) => new Date(now.getTime() + days * 86_400_000)
    const need = `certificate of localhost:${server.port}`
    const trusted = { ca: server.ca }
    expect(await check(server.port, { now, ...trusted })).toEqual([
      { level: 'ok', need: `${need} (60 days left)` },
    ])
    expect(await check(server.port, { now: later(50), ...trusted })).toEqual([
      { level: 'warning', need, text: expect.stringContaining('expires in 10 days') },
    ])
    expect(await check(server.port, { now: later(61), ...trusted })).toEqual([
      { level: 'error', need, text: expect.stringContaining('expired on') },
    ])
    expect(await check(server.port, { now })).toEqual([
      { level: 'error', need, text: expect.stringContaining('is not trusted') },
    ])
  }, 60_000)

  it('cannot be read where nothing listens', async () => {
    expect(await check(1, { now: new Date() })).toEqual([
      {
        level: 'error',
        need: 'certificate of localhost:1',
        text: expect.stringContaining('ECONN'),
      },
    ])
  })

  it('is that of STARTTLS where mails are sent with it', async () => {
    await using server = await startSmtpServer(20)
    const config = readConfig({
      ...env,
      SMTP_URL: `smtp://localhost:${server.port}?requireTLS=true`,
    })
    const checked = await checkCertificates(config, dns, { now: new Date(), ca: server.ca })
    expect(checked).toEqual([
      { level: 'ok', need: `certificate of localhost:${server.port} (20 days left)` },
    ])
  }, 60_000)
})

describe('the certificates of the mail server that the MX names', () => {
  const config = readConfig({
    ...env,
    MAIL_API_URL: 'http://localhost:8080',
    MAIL_API_KEY: 'key-of-the-mail-server-in-tests',
    MAIL_PROVISIONING_ENABLED: 'true',
  })
  const check = (mailPorts: MailPorts, ca?: string, now = new Date()) =>
    checkCertificates(config, dns, { now, ca, mailPorts })
  /** Only these ports are open. */
  const ports = async (open: Partial<MailPorts>): Promise<MailPorts> => ({
    relay: await freePort(),
    submission: await freePort(),
    submissionTls: await freePort(),
    imapTls: await freePort(),
    ...open,
  })

  it('are checked after STARTTLS, and where TLS comes first', async () => {
    await using smtp = await startSmtpServer(60)
    await using submission = await startSmtpServer(10)
    await using imap = await startTlsServer(60)
    const open = { relay: smtp.port, submission: submission.port, imapTls: imap.port }
    const checked = await check(
      await ports({ ...open, submissionTls: imap.port }),
      `${smtp.ca}${submission.ca}${imap.ca}`,
    )
    expect(checked).toEqual([
      { level: 'ok', need: `certificate of localhost:${smtp.port} (60 days left)` },
      {
        level: 'warning',
        need: `certificate of localhost:${submission.port}`,
        text: 'expires in 10 days. Check why it was not renewed.',
      },
      { level: 'ok', need: `certificate of localhost:${imap.port} (60 days left)` },
    ])
  }, 60_000)

  it('are errors when they have expired or belong to another name', async () => {
    await using smtp = await startSmtpServer(60)
    const open = await ports({ relay: smtp.port })
    const [untrusted] = await check(open)
    expect(untrusted).toMatchObject({
      level: 'error',
      text: expect.stringContaining('is not trusted'),
    })
    const [expired] = await check(open, smtp.ca, new Date(Date.now() + 61 * 86_400_000))
    expect(expired).toMatchObject({ level: 'error', text: expect.stringContaining('expired on') })
    // The certificate names localhost alone.
    const byAddress: DnsResolver = {
      lookup: async () => ({ state: 'found', values: ['10 127.0.0.1'] }),
    }
    const [otherName] = await checkCertificates(config, byAddress, {
      now: new Date(),
      ca: smtp.ca,
      mailPorts: open,
    })
    expect(otherName).toMatchObject({
      level: 'error',
      text: expect.stringContaining('ERR_TLS_CERT_ALTNAME_INVALID'),
    })
  }, 60_000)

  it('are errors where the server does not offer STARTTLS', async () => {
    await using smtp = await startSmtpServer(60, 'STARTTLS')
    const findings = await check(await ports({ relay: smtp.port, submission: smtp.port }))
    expect(findings[0]).toMatchObject({
      level: 'error',
      need: `certificate of localhost:${smtp.port}`,
      text: expect.stringContaining('does not offer STARTTLS'),
    })
  }, 60_000)

  it('are warnings where nothing answers, and submission with STARTTLS may be absent', async () => {
    const closed = await ports({})
    const findings = await check(closed)
    expect(findings.map(({ level, need }) => [level, need])).toEqual(
      [closed.relay, closed.submissionTls, closed.imapTls].map((port) => [
        'warning',
        `certificate of localhost:${port}`,
      ]),
    )
    expect(findings[0]?.text).toContain('may close port 25')
  })

  it.each([
    ['a server that hangs up', ''],
    ['a server that is busy', '421 too busy\r\n'],
    ['a server of another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['a reply without end', '220-'.padEnd(40_000, 'x')],
  ])('are warnings at %s', async (_, greeting) => {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.end(greeting)
    }).listen(0, 'localhost')
    await once(server, 'listening')
    const relay = (server.address() as AddressInfo).port
    try {
      const [finding] = await check(await ports({ relay }))
      expect(finding).toMatchObject({
        level: 'warning',
        need: `certificate of localhost:${relay}`,
        text: expect.stringContaining('could not be read'),
      })
    } finally {
      server.close()
    }
  })

  it('are not looked for while no tenant has mail, or without an MX', async () => {
    const options = { now: new Date() }
    expect(await checkCertificates(readConfig(env), dns, options)).toEqual([])
    const absent: DnsResolver = { lookup: async () => ({ state: 'absent', nonexistent: true }) }
    expect(await checkCertificates(config, absent, options)).toEqual([])
  })
})
