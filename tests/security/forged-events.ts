import { createHmac } from 'node:crypto'
import { signature, webhookSecret } from '@atrium/testing/webhooks-test-app'

/** A request to the intake that no processor sent. */
export interface Forgery {
  what: string
  body: Buffer
  /** Values of the signature's header; several are joined as HTTP joins them. */
  header: readonly string[]
}

const utf8 = (text: string) => Buffer.from(text, 'utf8')
const hmac = (
  secret: string,
  signed: string,
  algorithm = 'sha256',
  encoding: 'hex' | 'base64' | 'base64url' = 'hex',
) => createHmac(algorithm, secret).update(signed).digest(encoding)

/**
 * Forgeries of one genuine body. `other` is another body, genuine too; `now` in seconds since 1970.
 */
export function forgeries(body: string, other: string, now: number): Forgery[] {
  const genuine = signature(body, now)
  const digest = hmac(webhookSecret, `${now}.${body}`)
  const event = JSON.parse(body) as Record<string, unknown>
  const headers: [string, ...string[]][] = [
    ['no header'],
    ['an empty header', ''],
    ['a blank header', '   '],
    ['no digest', `t=${now}`],
    ['no time', `v1=${digest}`],
    ['an empty digest', `t=${now},v1=`],
    ['the old scheme alone', `t=${now},v0=${digest}`],
    ['an unknown scheme', `t=${now},v2=${digest}`],
    ['the scheme in capitals', `t=${now},V1=${digest}`],
    ['the time in capitals', `T=${now},v1=${digest}`],
    ['a digest cut short', `t=${now},v1=${digest.slice(0, 63)}`],
    ['half a digest', `t=${now},v1=${digest.slice(0, 32)}`],
    ['a digest with more behind', `t=${now},v1=${digest}00`],
    [
      'a digest with one bit changed',
      `t=${now},v1=${digest.slice(0, -1)}${digest.endsWith('0') ? '1' : '0'}`,
    ],
    ['a digest of zeros', `t=${now},v1=${'0'.repeat(64)}`],
    ['a digest in capitals', `t=${now},v1=${digest.toUpperCase()}`],
    [
      'a digest in Base64',
      `t=${now},v1=${hmac(webhookSecret, `${now}.${body}`, 'sha256', 'base64')}`,
    ],
    ['SHA-1', `t=${now},v1=${hmac(webhookSecret, `${now}.${body}`, 'sha1')}`],
    ['SHA-512', `t=${now},v1=${hmac(webhookSecret, `${now}.${body}`, 'sha512')}`],
    ['a digest without the time', `t=${now},v1=${hmac(webhookSecret, body)}`],
    ['a digest without the dot', `t=${now},v1=${hmac(webhookSecret, `${now}${body}`)}`],
    ['a digest over time alone', `t=${now},v1=${hmac(webhookSecret, `${now}.`)}`],
    ['an empty secret', `t=${now},v1=${hmac('', `${now}.${body}`)}`],
    [
      'the secret without its prefix',
      `t=${now},v1=${hmac(webhookSecret.replace('whsec_', ''), `${now}.${body}`)}`,
    ],
    ["another account's secret", signature(body, now, 'whsec_of_another_account')],
    ['the publishable key as secret', signature(body, now, 'pk_test_atrium')],
    ['null as secret', signature(body, now, 'null')],
    ['an old signature', signature(body, now - 301)],
    ['a signature of yesterday', signature(body, now - 86_400)],
    ['a signature of the future', signature(body, now + 301)],
    ['a time after the signature', `t=${now + 1},v1=${digest}`],
    [
      'an old signature that wears a new time',
      `t=${now},${signature(body, now - 400).split(',')[1]}`,
    ],
    [
      'two times, the old one signed',
      `t=${now},t=${now - 400},${signature(body, now - 400).split(',')[1]}`,
    ],
    [
      'two times, the new one first',
      `t=${now - 400},${signature(body, now - 400).split(',')[1]},t=${now}`,
    ],
    ['a time in milliseconds', `t=${now}000,v1=${hmac(webhookSecret, `${now}000.${body}`)}`],
    ['a time with a sign', `t=+${now},v1=${hmac(webhookSecret, `+${now}.${body}`)}`],
    ['a negative time', `t=-${now},v1=${hmac(webhookSecret, `-${now}.${body}`)}`],
    [
      'a time in hex',
      `t=0x${now.toString(16)},v1=${hmac(webhookSecret, `0x${now.toString(16)}.${body}`)}`,
    ],
    ['a time with a fraction', `t=${now}.5,v1=${hmac(webhookSecret, `${now}.5.${body}`)}`],
    ['a time that is a word', `t=now,v1=${hmac(webhookSecret, `now.${body}`)}`],
    ['an infinite time', `t=Infinity,v1=${hmac(webhookSecret, `Infinity.${body}`)}`],
    [
      'a time of many digits',
      `t=${'9'.repeat(400)},v1=${hmac(webhookSecret, `${'9'.repeat(400)}.${body}`)}`,
    ],
    ['semicolons for commas', genuine.replace(',', ';')],
    ['JSON as header', JSON.stringify({ t: now, v1: digest })],
    ['a hundred wrong digests', `t=${now}${`,v1=${'a'.repeat(64)}`.repeat(100)}`],
    ["another body's signature", signature(other, now)],
    ['a second header with an old time', `t=${now - 400}`, genuine],
    ['a second header with a second time', genuine, `t=${now - 400}`],
  ]
  const bodies: [string, Buffer][] = [
    ['written anew with spaces', utf8(JSON.stringify(event, null, 2))],
    [
      'its keys in another order',
      utf8(JSON.stringify(Object.fromEntries(Object.entries(event).reverse()))),
    ],
    ['a key twice', utf8(body.replace('"type"', '"livemode":true,"type"'))],
    ['its kind changed', utf8(body.replace('product.updated', 'invoice.paid'))],
    ['the mode changed', utf8(body.replace('"livemode":false', '"livemode":true'))],
    ['for another account', utf8(JSON.stringify({ ...event, account: 'acct_of_somebody_else' }))],
    ['a space before', utf8(` ${body}`)],
    ['a line end behind', utf8(`${body}\n`)],
    ['a NUL behind', utf8(`${body}\u0000`)],
    ['a byte order mark before', utf8(`\ufeff${body}`)],
    ['in UTF-16', Buffer.from(body, 'utf16le')],
    ['escaped characters', utf8(body.replace('product.updated', '\\u0070roduct.updated'))],
    ['slashes escaped', utf8(body.replace('"event"', '"\\u0065vent"'))],
    [
      'a byte that is no UTF-8',
      Buffer.concat([utf8(body.slice(0, -1)), Buffer.from([0xff]), utf8('}')]),
    ],
    [
      'a replacement character made of a broken byte',
      Buffer.from(
        utf8(body.replace('prod_1', 'prod_\ufffd'))
          .toString('latin1')
          .replace('\u00ef\u00bf\u00bd', '\u00ff'),
        'latin1',
      ),
    ],
    ['empty', Buffer.alloc(0)],
    ['another event', utf8(other)],
  ]
  return [
    ...headers.map(([what, ...header]) => ({ what, body: utf8(body), header })),
    ...bodies.map(([what, changed]) => ({
      what: `a body ${what}`,
      body: changed,
      // The one for which a signature exists: the genuine text, or what a careless reader would
      // make of these bytes.
      header: [
        what.includes('replacement')
          ? signature(body.replace('prod_1', 'prod_\ufffd'), now)
          : genuine,
      ],
    })),
  ]
}
