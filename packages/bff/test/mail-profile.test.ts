import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser } from '@atrium/testing/bff/browser'
import { user } from '@atrium/testing/bff/platform'
import { startTestBff, type TestBff } from '@atrium/testing/bff/test-bff'
import { DOMParser, type Element } from '@xmldom/xmldom'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { readAppConfig } from '../src/config.ts'
import { type SigningMaterial, signingMaterial, verifiedByHand } from './signing-material.ts'

const run = promisify(execFile)
const mailHost = 'mail.example.test'
const mailbox = {
  address: 'anna@acme.test',
  name: 'Anna <Owner> & Co',
  organisation: 'Acme "Workplace"',
}
const { organisation } = mailbox

let testBff: TestBff
let browser: Browser
let material: SigningMaterial
let folder: string
let openssl: boolean

beforeAll(async () => {
  material = signingMaterial()
  openssl = await run('openssl', ['version']).then(
    () => true,
    () => false,
  )
  folder = await mkdtemp(join(tmpdir(), 'atrium-profile-'))
  testBff = await startTestBff({ env: { MAIL_PUBLIC_HOST: 'Mail.Example.Test' } })
  browser = testBff.browser()
  await browser.signIn(testBff.publicUrl, 'owner@acme.test')
  answerMailbox(testBff)
}, 60_000)
afterEach(() => {
  testBff.logLines.length = 0
  answerMailbox(testBff)
})
afterAll(async () => {
  await testBff[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

function answerMailbox(of: TestBff, answer: () => Response = () => Response.json(mailbox)): void {
  of.platform.answer = ({ target }) => (target.endsWith('/mail-profile') ? answer() : undefined)
}
const download = (query = '?tenant=acme', by = browser, of = testBff) =>
  by.fetch(`${of.publicUrl}/api/mail-profile${query}`)
const makeLink = (body: object = { tenant: 'acme' }) =>
  browser.post(`${testBff.publicUrl}/api/mail-profile/link`, body)

/** A property list as the values that it stands for, read by an XML parser. */
function readPlist(xml: string): Record<string, unknown> {
  const document = new DOMParser({
    onError: (level, message) => {
      throw new Error(`${level}: ${message}`)
    },
  }).parseFromString(xml, 'text/xml')
  expect(document.doctype?.publicId).toBe('"-//Apple//DTD PLIST 1.0//EN"')
  const [root] = children(document.documentElement as Element)
  return fieldValue(root as Element) as Record<string, unknown>
}
function children(element: Element): Element[] {
  return Array.from(element.childNodes).filter((node): node is Element => node.nodeType === 1)
}
function fieldValue(element: Element): unknown {
  const inside = children(element)
  switch (element.tagName) {
    case 'dict':
      return Object.fromEntries(
        Array.from({ length: inside.length / 2 }, (_, n) => [
          inside[2 * n]?.textContent,
          fieldValue(inside[2 * n + 1] as Element),
        ]),
      )
    case 'array':
      return inside.map(fieldValue)
    case 'integer':
      return Number(element.textContent)
    case 'true':
    case 'false':
      return element.tagName === 'true'
    default:
      return element.textContent
  }
}

describe('the profile', () => {
  it('sets up mail, calendars and contacts, and holds no password', async () => {
    const response = await download()
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/x-apple-aspen-config',
      'content-disposition': 'attachment; filename="mail.mobileconfig"',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    const text = await response.text()
    const profile = readPlist(text)
    expect(profile).toMatchObject({
      PayloadType: 'Configuration',
      PayloadVersion: 1,
      PayloadOrganization: organisation,
      PayloadDisplayName: `${organisation}: anna@acme.test`,
      PayloadRemovalDisallowed: false,
    })
    const content = profile.PayloadContent as Record<string, unknown>[]
    const uuid = /^[0-9A-F]{8}-[0-9A-F]{4}-5[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}$/
    const ids = [profile, ...content].map(({ PayloadUUID }) => PayloadUUID)
    for (const id of ids) expect(id).toMatch(uuid)
    expect(new Set(ids).size).toBe(4)
    const names = [profile, ...content].map(({ PayloadIdentifier }) => String(PayloadIdentifier))
    expect(new Set(names).size).toBe(4)
    for (const name of names) expect(name.startsWith(names[0] ?? ' ')).toBe(true)
    const [mail, calendars, contacts] = content
    expect(mail).toMatchObject({
      PayloadType: 'com.apple.mail.managed',
      EmailAccountType: 'EmailTypeIMAP',
      EmailAccountName: 'Anna <Owner> & Co',
      EmailAddress: 'anna@acme.test',
      IncomingMailServerAuthentication: 'EmailAuthPassword',
      IncomingMailServerHostName: mailHost,
      IncomingMailServerPortNumber: 993,
      IncomingMailServerUseSSL: true,
      IncomingMailServerUsername: 'anna@acme.test',
      OutgoingMailServerAuthentication: 'EmailAuthPassword',
      OutgoingMailServerHostName: mailHost,
      OutgoingMailServerPortNumber: 465,
      OutgoingMailServerUseSSL: true,
      OutgoingMailServerUsername: 'anna@acme.test',
      OutgoingPasswordSameAsIncomingPassword: true,
    })
    for (const [payload, type, kind] of [
      [calendars, 'com.apple.caldav.account', 'CalDAV'],
      [contacts, 'com.apple.carddav.account', 'CardDAV'],
    ] as const) {
      expect(payload).toMatchObject({
        PayloadType: type,
        [`${kind}HostName`]: mailHost,
        [`${kind}Port`]: 443,
        [`${kind}UseSSL`]: true,
        [`${kind}Username`]: 'anna@acme.test',
      })
    }
    const keys = [...text.matchAll(/<key>(.*?)<\/key>/g)].map(([, key]) => key)
    expect(keys.filter((key) => /password/i.test(key ?? ''))).toEqual([
      'OutgoingPasswordSameAsIncomingPassword',
    ])
  })

  it('is the same the second time, so that it replaces the first, and another for another mailbox', async () => {
    const [first, second] = [await (await download()).text(), await (await download()).text()]
    expect(second).toBe(first)
    answerMailbox(testBff, () => Response.json({ ...mailbox, name: 'Anna Married' }))
    const renamed = readPlist(await (await download()).text())
    expect(renamed).toMatchObject({
      PayloadIdentifier: readPlist(first).PayloadIdentifier,
      PayloadUUID: readPlist(first).PayloadUUID,
    })
    answerMailbox(testBff, () => Response.json({ ...mailbox, address: 'adam@acme.test' }))
    const other = readPlist(await (await download()).text())
    expect(other.PayloadIdentifier).not.toBe(readPlist(first).PayloadIdentifier)
    expect(other.PayloadUUID).not.toBe(readPlist(first).PayloadUUID)
  })

  it('stays well-formed for any name', async () => {
    const name = ']]><!--\u0000\u0007\uffff&amp;\ud800'
    answerMailbox(testBff, () => Response.json({ ...mailbox, name }))
    const profile = readPlist(await (await download()).text())
    expect((profile.PayloadContent as Record<string, unknown>[])[0]?.EmailAccountName).toBe(
      ']]><!--&amp;',
    )
  })

  it('is for the mailbox in the tenant that is named, or in the only one', async () => {
    testBff.platform.seen.length = 0
    await download('?tenant=globex')
    expect(testBff.platform.seen.map(({ target }) => target)).toEqual([
      '/tenants/globex/mail-profile',
    ])
    expect((await download('')).status).toBe(200)
    expect(testBff.platform.seen.at(-1)?.target).toBe('/tenants/acme/mail-profile')
    const [tenant] = user.tenants
    testBff.platform.answer = () =>
      Response.json({ ...user, tenants: [tenant, { ...tenant, slug: 'globex' }] })
    const several = await download('')
    expect([several.status, await several.json()]).toMatchObject([
      400,
      { code: 'invalid_input', issues: [{ path: 'tenant' }] },
    ])
    testBff.platform.answer = () => Response.json({ ...user, tenants: [] })
    expect((await download('')).status).toBe(404)
    for (const tenantName of ['..', 'a/b', 'A', ''])
      expect((await download(`?tenant=${encodeURIComponent(tenantName)}`)).status).toBe(400)
  })

  it('is rejected in the words of the platform without a mailbox', async () => {
    const problem = { code: 'not_found', detail: 'You have no mailbox in this tenant.' }
    answerMailbox(testBff, () =>
      Response.json(problem, {
        status: 404,
        headers: { 'content-type': 'application/problem+json' },
      }),
    )
    for (const response of [await download(), await makeLink()])
      expect([response.status, await response.json()]).toEqual([404, problem])
    answerMailbox(testBff, () => Response.json({ address: 1 }))
    expect((await download()).status).toBe(502)
  })

  it('is for people who are signed in, at the portal, where there is a mail server', async () => {
    for (const path of ['/api/mail-profile', '/api/mail-settings']) {
      expect((await testBff.browser().fetch(testBff.publicUrl + path)).status).toBe(401)
    }
    expect(
      (await testBff.browser().post(`${testBff.publicUrl}/api/mail-profile/link`, {})).status,
    ).toBe(401)
    expect(
      (await browser.fetch(`${testBff.publicUrl}/api/mail-profile/link`, { method: 'POST' }))
        .status,
    ).toBe(403)
    expect(await (await browser.fetch(`${testBff.publicUrl}/api/mail-settings`)).json()).toEqual({
      host: mailHost,
    })
    await using without = await startTestBff()
    const there = without.browser()
    await there.signIn(without.publicUrl, 'owner@acme.test')
    for (const path of ['/api/mail-profile?tenant=acme', '/api/mail-settings']) {
      const response = await there.fetch(without.publicUrl + path)
      expect([response.status, await response.json()]).toMatchObject([
        409,
        { code: 'integration_off' },
      ])
    }
    await using operator = await startTestBff({
      app: 'operator',
      env: { MAIL_PUBLIC_HOST: mailHost },
    })
    const colleague = operator.browser()
    await colleague.signIn(operator.publicUrl, 'operator@atrium.test')
    expect((await download('?tenant=acme', colleague, operator)).status).toBe(404)
  })
})

describe('a signed profile', () => {
  async function signedBy(
    certificate: string,
    key: string,
    work: (bytes: Buffer, of: TestBff) => Promise<void>,
  ): Promise<void> {
    await using signing = await startTestBff({
      env: { MAIL_PUBLIC_HOST: mailHost, PROFILE_SIGN_CERT: certificate, PROFILE_SIGN_KEY: key },
    })
    answerMailbox(signing)
    const person = signing.browser()
    await person.signIn(signing.publicUrl, 'owner@acme.test')
    const response = await download('?tenant=acme', person, signing)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/x-apple-aspen-config')
    await work(Buffer.from(await response.arrayBuffer()), signing)
  }
  const file = async (name: string, content: string | Buffer) => {
    const path = join(folder, name)
    await writeFile(path, content)
    return path
  }
  /**
   * What openssl finds signed, after following the chain to the root. Rejects for anything but a
   * good signature.
   */
  async function verified(bytes: Buffer): Promise<string> {
    const [signed, root, out] = [
      await file('signed.der', bytes),
      await file('root.pem', material.root),
      join(folder, 'content'),
    ]
    await run('openssl', [
      'cms',
      '-verify',
      '-inform',
      'DER',
      '-in',
      signed,
      '-CAfile',
      root,
      '-purpose',
      'any',
      '-out',
      out,
    ])
    return readFile(out, 'utf8')
  }

  /** The same by another program's judgement, with what it says about digest and certificates. */
  async function looksRight(bytes: Buffer, content: string): Promise<void> {
    expect(await verified(bytes)).toBe(content)
    const path = await file('printed.der', bytes)
    const { stdout: printed } = await run('openssl', [
      'cms',
      '-cmsout',
      '-print',
      '-inform',
      'DER',
      '-in',
      path,
    ])
    expect(printed).toMatch(/digestAlgorithm: \s*algorithm: sha256/)
    const { stdout: certificates } = await run('openssl', [
      'pkcs7',
      '-print_certs',
      '-inform',
      'DER',
      '-in',
      path,
    ])
    expect(certificates.match(/^subject=.*$/gm)).toEqual([
      'subject=CN = mail.example.test',
      'subject=CN = Test Authority',
    ])
  }

  it.each(['text', 'one line of text', 'files'])(
    'is SignedData with SHA-256 and the whole chain, configured as %s',
    async (how) => {
      const oneLine = (pem: string) => pem.replaceAll('\n', '\\n')
      const [certificate, key] =
        how === 'files'
          ? [await file('chain.pem', material.chain), await file('key.pem', material.key)]
          : how === 'text'
            ? [material.chain, material.key]
            : [oneLine(material.chain), oneLine(material.key)]
      const unsigned = await (await download()).text()
      await signedBy(certificate, key, async (bytes, signing) => {
        expect(verifiedByHand(bytes, material.root)).toBe(unsigned)
        if (openssl) await looksRight(bytes, unsigned)
        expect(signing.logLines.join('')).not.toMatch(/failed to sign|PRIVATE KEY/)
      })
    },
  )

  it('does not verify when a byte of it was changed', async () => {
    await signedBy(material.chain, material.key, async (bytes) => {
      const changed = Buffer.from(bytes)
      const at = changed.indexOf('anna@acme.test')
      changed.write('eve.@acme.test', at)
      expect(() => verifiedByHand(changed, material.root)).toThrow('digest')
      if (openssl) await expect(verified(changed)).rejects.toThrow(/verif/i)
    })
  })

  it('goes out unsigned, with a line in the log and no secret in it, when certificate and key cannot sign', async () => {
    const unsigned = await (await download()).text()
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
      type: 'pkcs8',
      format: 'pem',
    }) as string
    const expired = signingMaterial({ days: -1 })
    const cases: [string, string, string][] = [
      ['a key that is broken', material.chain, material.key.replace(/\n[^\n]{20}/, '\n????')],
      ['a key of another kind', material.chain, ec],
      ['a key that belongs to no certificate', material.chain, expired.key],
      ['a certificate that is broken', material.chain.slice(0, 200), material.key],
      ['a certificate that has run out', expired.chain, expired.key],
      ['files that are not there', join(folder, 'no.pem'), join(folder, 'no.key')],
    ]
    for (const [name, certificate, key] of cases) {
      await signedBy(certificate, key, async (bytes, signing) => {
        expect(bytes.toString(), name).toBe(unsigned)
        const told = signing.logLines.filter((line) => line.includes('failed to sign mail profile'))
        expect(told, name).toHaveLength(1)
        expect(told[0]).not.toContain(material.key.split('\n')[2])
      })
    }
  }, 60_000)
})

describe('the configuration', () => {
  it('names a host that is none, and half a pair of certificate and key', () => {
    const read = (change: Record<string, string>) => () =>
      readAppConfig('portal', { ...testBff.env, ...change })
    for (const host of ['mail', 'https://mail.example.test', 'mail.example.test:993', 'a b']) {
      expect(read({ MAIL_PUBLIC_HOST: host })).toThrow(/MAIL_PUBLIC_HOST: is not a host name/)
    }
    expect(read({ PROFILE_SIGN_CERT: 'cert.pem' })).toThrow(/PROFILE_SIGN_KEY: is missing/)
    expect(read({ PROFILE_SIGN_KEY: 'key.pem' })).toThrow(/PROFILE_SIGN_CERT: is missing/)
    expect(read({ PROFILE_SIGN_CERT: 'cert.pem', PROFILE_SIGN_KEY: 'key.pem' })()).toMatchObject({
      stripeForm: false,
      profileSigning: { certificate: 'cert.pem', key: 'key.pem' },
    })
  })
})

describe('a link for a phone', () => {
  const phone = () => testBff.browser()
  const link = async () => ((await (await makeLink()).json()) as { url: string }).url

  it('gives the profile to a device that is not signed in, once', async () => {
    const made = await makeLink()
    expect(made.status).toBe(201)
    expect(made.headers.get('cache-control')).toBe('no-store')
    const { url, expiresAt } = (await made.json()) as { url: string; expiresAt: string }
    expect(url).toMatch(new RegExp(`^${testBff.publicUrl}/mail-profile/[A-Za-z0-9_-]{43}$`))
    expect(Math.abs(Date.parse(expiresAt) - Date.now() - 15 * 60_000)).toBeLessThan(60_000)
    const response = await phone().fetch(url)
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/x-apple-aspen-config',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    })
    expect(await response.text()).toBe(await (await download()).text())
    const again = await phone().fetch(url)
    expect([again.status, again.headers.get('referrer-policy')]).toEqual([404, 'no-referrer'])
    expect(await again.text()).toContain('This link was already used or has expired')
  })

  it('is spent by one of many who come at the same time, and not by a look at its headers', async () => {
    const url = await link()
    expect((await phone().fetch(url, { method: 'HEAD' })).status).toBe(405)
    const responses = await Promise.all(Array.from({ length: 8 }, () => phone().fetch(url)))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(404)])
  })

  it('ends after 15 minutes, and when the next one is made', async () => {
    const first = await link()
    const second = await link()
    expect((await phone().fetch(first)).status).toBe(404)
    const { expires_at } = await testBff.database.db
      .selectFrom('mail_profile_links')
      .select('expires_at')
      .executeTakeFirstOrThrow()
    expect(Math.abs(expires_at.getTime() - Date.now() - 15 * 60_000)).toBeLessThan(60_000)
    await testBff.database.db
      .updateTable('mail_profile_links')
      .set({ expires_at: new Date(Date.now() - 1_000) })
      .execute()
    expect((await phone().fetch(second)).status).toBe(404)
    for (const token of ['x', 'A'.repeat(43), '..%2f', `${'A'.repeat(43)}%00`]) {
      expect((await phone().fetch(`${testBff.publicUrl}/mail-profile/${token}`)).status).toBe(404)
    }
  })

  it('is in no table and no log', async () => {
    const url = await link()
    const token = url.slice(url.lastIndexOf('/') + 1)
    const rows = await testBff.database.db.selectFrom('mail_profile_links').selectAll().execute()
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(token)
    expect(rows[0]?.token_hash.toString('base64url')).not.toBe(token)
    await phone().fetch(url)
    await phone().fetch(url)
    const log = testBff.logLines.join('')
    expect(log).toContain('/mail-profile/***')
    expect(log).not.toContain(token)
  })
})
