import fc from 'fast-check'

/**
 * Pieces that mean something in one of the places a text ends up in: calendars, mails, sheets,
 * headers, XML, JSON, Liquid, SQL, log lines.
 */
const meaning = [
  ...[
    '\r\n',
    '\n',
    '\r',
    '\t',
    '\u0000',
    '\u0007',
    '\u001b[31m',
    '\u007f',
    '\u0085',
    '\u2028',
    '\u2029',
    '\u200b',
    '\u202e',
    '\ufeff',
    '\ud800',
    '\udc00',
  ],
  ...[
    'BEGIN:VEVENT',
    'END:VEVENT',
    'END:VCALENDAR',
    '\r\nATTENDEE:mailto:eve@evil.test',
    '\r\n ',
    '\r\nMETHOD:CANCEL',
    '\\n',
    '\\N',
    '\\;',
    '^n',
    "^'",
    '^^',
  ],
  ...[
    '\r\nBcc: eve@evil.test',
    '\nTo: eve@evil.test',
    'Bcc:',
    '<eve@evil.test>',
    ', eve@evil.test',
    '=?utf-8?Q?=0D=0ABcc=3A_eve@evil.test?=',
    '\r\n\r\n',
    '\r\n.\r\n',
  ],
  ...[
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    ';=1+1',
    ',=1+1',
    '"=1',
    '=HYPERLINK("http://evil.test")',
    "=cmd|' /C calc'!A0",
    '\uff1d1',
  ],
  ...['\r\nSet-Cookie: a=b', '%0d%0aX: y', '\u560d\u560aX: y'],
  ...[
    '</string><key>x</key>',
    '<!ENTITY x SYSTEM "file:///etc/passwd">',
    ']]>',
    '<![CDATA[',
    '&lt;',
    '&#0;',
    '&x;',
    '<script>alert(1)</script>',
    '" onload="x',
    "' x='",
  ],
  ...[
    '{{ product.name }}',
    '{% include "x" %}',
    '{{',
    '{%',
    '%}',
    '#{1+1}',
    '<%= 1 %>',
    '__proto__',
    'constructor',
    '","x":"',
    '}\n{"level":"fatal"',
  ],
  ...[
    "' or 1=1 --",
    "'; drop table tenants; --",
    '%',
    '_',
    '\\',
    '%%',
    '\\%',
    '\\_',
    '$1',
    ':x',
    '$$',
    '/*',
    '*/',
    "E'\\x27'",
  ],
  ...['"', "'", '`', ';', ':', ',', '|', '&', '<', '>', '(', ')', '/', '../..', ' ', '  '],
  ...[
    'é',
    'e\u0301',
    'ß',
    'İ',
    'ﬀ',
    '😀',
    '👩‍🚀',
    '日本',
    'עברית',
    '\u0430',
    'x'.repeat(80),
    'ü'.repeat(60),
  ],
]

/**
 * What has no place in any line: those texts are rejected at the door, so most values are made
 * without.
 */
const invisible =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the controls are what is meant
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff]|\p{Surrogate}/u
const visible = meaning.filter((piece) => !invisible.test(piece))

const textsOf = (pieces: readonly string[], unit: 'grapheme' | 'binary') =>
  fc
    .array(
      fc.oneof(
        { arbitrary: fc.constantFrom(...pieces), weight: 3 },
        { arbitrary: fc.string({ unit, maxLength: 6 }), weight: 1 },
      ),
      {
        minLength: 1,
        maxLength: 5,
      },
    )
    .map((parts) => parts.join(''))

/** Anything at all, with controls and broken Unicode. */
export const anyText = textsOf(meaning, 'binary')
/** One line that passes validation. */
export const lineText = textsOf(visible, 'grapheme').filter(
  (text) => text.trim() !== '' && !invisible.test(text),
)
/** Several lines that pass validation. */
export const longText = textsOf([...visible, '\n', '\n', '\n\n'], 'grapheme').filter(
  (text) => text.trim() !== '' && !invisible.test(text.replaceAll('\n', '')),
)

/** `count` of them, the same ones at every run that is given the same seed. */
export function sample<T>(arbitrary: fc.Arbitrary<T>, count: number, seed = 20_261_122): T[] {
  return fc.sample(arbitrary, { numRuns: count, seed })
}
