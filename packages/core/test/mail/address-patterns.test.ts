import {
  addressPattern,
  launchPattern,
  localPartPattern,
  originPattern,
  ownAddressPattern,
  redirectPattern,
} from '@atrium/core/mail/address-patterns'
import { ownAddress } from '@atrium/core/mail/mail-addresses'
import { memberAddress } from '@atrium/core/members/members'
import { embedOrigin } from '@atrium/core/scheduling/hosts'
import { CreateSsoApp, redirectUri } from '@atrium/core/sso/sso'
import { describe, expect, it } from 'vitest'
import type { z } from 'zod'

const launchUrl = CreateSsoApp.shape.launchUrl.unwrap()

describe.each<[string, readonly string[], z.ZodType, readonly string[], readonly string[]]>([
  [
    'address of an alias or a list',
    [ownAddressPattern],
    ownAddress,
    ['anna', 'Anna.M_1-x@acme.test', `${'a'.repeat(64)}@acme.test`],
    [
      '',
      '@acme.test',
      'a+b',
      '.a',
      'a..b',
      'a@',
      'a@nodots',
      'a b',
      'a'.repeat(65),
      `${'a'.repeat(65)}@acme.test`,
    ],
  ],
  [
    'address of a member',
    [localPartPattern, addressPattern],
    memberAddress,
    ['anna', 'a+b@acme.test', "o'neil"],
    ['', '@acme.example', 'a@', 'a..b', 'a b', 'a"b', 'é'],
  ],
  [
    'origin',
    [originPattern],
    embedOrigin,
    [
      'https://example.com',
      'https://example.com:8443/',
      'http://localhost:3000',
      'https://10.0.0.1',
    ],
    [
      '',
      'example.com',
      'http://example.com',
      'https://example.com/path',
      'https://a@example.com',
      'https://example.com?x',
      'ftp://example.com',
    ],
  ],
  [
    'redirect address',
    [redirectPattern],
    redirectUri,
    [
      'https://app.example.com/a/b?c=%20d',
      'http://127.0.0.1:8080/cb',
      'com.example.app:/cb',
      'https://example.com',
    ],
    [
      '',
      '/cb',
      'http://example.com',
      'https://a@b.example',
      'myapp:/cb',
      'https://a.example/#x',
      'https://a.example/*',
      'https://a.example/%2',
      'https://a.example/{x}',
    ],
  ],
  [
    'address of an application',
    [launchPattern],
    launchUrl,
    ['https://app.example.com/a?b', 'http://localhost:3000/'],
    ['', 'app.example.com', 'com.example.app:/cb', 'http://example.com', 'https://a.example/ b'],
  ],
])('the described pattern of an %s', (_, patterns, schema, good, bad) => {
  const isDescribed = (text: string) =>
    patterns.some((pattern) => new RegExp(pattern, 'u').test(text))
  it.each(good)('takes %j, as the API does', (text) => {
    expect([isDescribed(text), schema.safeParse(text).success]).toEqual([true, true])
  })
  it.each(bad)('does not take %j, as the API does not', (text) => {
    expect([isDescribed(text), schema.safeParse(text).success]).toEqual([false, false])
  })
})
