import { fc, it as property } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { CreateSsoApp, redirectUriFault } from '../../src/sso/sso.ts'
import { zodIssuePaths } from '../zod-issues.ts'

describe('a redirect address', () => {
  it.each([
    'https://app.example.com/callback',
    'https://app.example.com',
    'https://app.example.com:8443/cb?x=1&y=%20a',
    'https://xn--mnchen-3ya.example/cb',
    'https://app.example.com/a@b',
    'HTTPS://APP.example.com/cb',
    'http://localhost:3000/cb',
    'http://127.0.0.1/cb',
    'http://[::1]:8080/cb',
    'com.example.app:/oauth2redirect',
    'com.example.app://callback',
    'com.example.app:/cb?next=a://b@c',
    'https://app.example.com/?next=https://a@b',
    'org.example.App:/',
  ])('may be %s', (uri) => {
    expect(redirectUriFault(uri)).toBeUndefined()
  })

  it.each([
    ['', /whole address/],
    ['/callback', /whole address/],
    ['app.example.com/callback', /whole address/],
    ['https://app.example.com/#', /fragment/],
    ['https://app.example.com/cb#token', /fragment/],
    ['https://*.example.com/cb', /[Ww]ildcard/],
    ['https://app.example.com/*', /[Ww]ildcard/],
    ['https://user@app.example.com/cb', /user or password/],
    ['https://user:secret@app.example.com/cb', /user or password/],
    ['https://@app.example.com/cb', /user or password/],
    ['com.example.app://user@host/cb', /user or password/],
    ['http://app.example.com/cb', /Plain http/],
    ['http://localhost.example.com/cb', /Plain http/],
    ['http://127.0.0.2/cb', /Plain http/],
    ['http://localhost@evil.example/cb', /user or password/],
    ['javascript:alert(1)', /https/],
    ['data:text/html,x', /https/],
    ['file:///etc/passwd', /https/],
    ['vbscript:x', /https/],
    ['myapp://callback', /scheme with a dot/],
    ['urn:ietf:wg:oauth:2.0:oob', /https/],
    ['ftp://app.example.com/cb', /https/],
    ['com.example.app:callback', /slash/],
    ['com.example.app:', /slash/],
    ['com.example.app:callback:/', /slash/],
    ['https:app.example.com', /not a web address/],
    ['https:///cb', /not a web address/],
    ['https:/cb?next=https://app.example.com', /not a web address/],
    ['https://', /not a web address/],
    ['https://app.example.com:99999/cb', /not a web address/],
    ['https://app.example.com/a b', /ASCII/],
    ['https://app.example.com/\n', /ASCII/],
    ['https://münchen.example/cb', /ASCII/],
    ['https://app.example.com\\@evil.example/cb', /percent-encode/],
    ['https://app.example.com/<x>', /percent-encode/],
    ['https://app.example.com/%zz', /percent sign/],
    [' https://app.example.com/cb', /whole address/],
  ])('may not be %j', (uri, reason) => {
    expect(redirectUriFault(uri)).toMatch(reason)
  })

  property.prop([fc.string({ unit: 'binary', maxLength: 60 })])(
    'is never anything that a browser would run or send elsewhere',
    (tail) => {
      for (const text of [tail, `javascript:${tail}`, `https://${tail}`, `data:${tail}`]) {
        if (redirectUriFault(text) !== undefined) continue
        expect(text).not.toMatch(/^(javascript|data):/i)
        if (!/^https?:/i.test(text)) continue
        const { hash, username, password, protocol, hostname } = new URL(text)
        expect([hash, username, password]).toEqual(['', '', ''])
        if (protocol === 'http:') expect(['localhost', '127.0.0.1', '[::1]']).toContain(hostname)
      }
    },
  )
})

describe('the input of a creation', () => {
  const input = { slug: 'acme', name: 'Wiki', redirectUris: ['https://wiki.example.com/cb'] }
  const issuesOf = (change: object) => zodIssuePaths(CreateSsoApp, { ...input, ...change })

  it('is taken', () => {
    expect(
      CreateSsoApp.parse({
        ...input,
        name: '  Wiki ',
        launchUrl: 'https://wiki.example.com/#/start',
      }),
    ).toMatchObject({ name: 'Wiki' })
  })

  it.each([
    [{ redirectUris: [] }, ['redirectUris']],
    [
      { redirectUris: Array.from({ length: 21 }, (_, n) => `https://wiki.example.com/${n}`) },
      ['redirectUris'],
    ],
    [{ redirectUris: ['https://a.example', 'https://a.example'] }, ['redirectUris.1']],
    [{ redirectUris: [`https://a.example/${'x'.repeat(2000)}`] }, ['redirectUris.0']],
    [{ name: 'a\u202eb' }, ['name']],
    [{ name: 'x'.repeat(81) }, ['name']],
    [{ launchUrl: 'javascript:alert(1)' }, ['launchUrl']],
    [{ launchUrl: 'http://wiki.example.com' }, ['launchUrl']],
    [{ clientId: 'mine' }, ['']],
  ])('is rejected for %j', (change, paths) => {
    expect(issuesOf(change)).toEqual(paths)
  })

  it.each([
    [{ redirectUris: ['http://wiki.example.com'] }, /Plain http/],
    [{ launchUrl: 'http://wiki.example.com' }, /Plain http/],
    [{ launchUrl: 'com.example.wiki://https:' }, /not an https/],
    [{ launchUrl: 'https://wiki.example.com/#a#b' }, /fragment/],
  ])('says why %j is rejected', (change, reason) => {
    const { error } = CreateSsoApp.safeParse({ ...input, ...change })
    expect(error?.issues.map(({ message }) => message)).toEqual([expect.stringMatching(reason)])
  })
})
