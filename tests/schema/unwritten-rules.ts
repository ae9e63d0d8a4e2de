/**
 * A rule of the API that the document does not say: the sentence of its rejection, and why no
 * schema says it.
 */
export type UnwrittenRule = readonly [rejection: RegExp, why: string]

const fields = 'JSON Schema cannot compare the values of two fields.'
const query = 'OpenAPI describes each parameter of a query by itself.'
const record = 'It depends on what is stored.'
const items = 'JSON Schema cannot compare the items of a list.'
const once = '`uniqueItems` compares whole items as they are written, not what they name.'

/**
 * Requests that the schemas allow and the API rejects with 400 are right only when each of their
 * issues has one of these sentences. Any other is a finding: the document has to say that rule.
 */
export const unwrittenRules: readonly UnwrittenRule[] = [
  [/^This is not after the start of the range\.$/, fields],
  [/^It would end before it starts\.$/, fields],
  [/^At most \d+ (?:months|days)\.$/, fields],
  [/^Give either all recipients, or those to add and to remove\.$/, fields],
  [/^Only a choice has options\.$/, fields],
  [/^Name at least two (?:choices|hosts)\.$/, fields],
  [/^Ask for the phone number: a required question of the kind phone\.$/, fields],
  [/^Further hosts take part in a round robin or together, not here\.$/, fields],
  [/^The last day cannot be before the first\.$/, fields],
  [
    /^Enter (?:the number that visitors call|the https:\/\/ address of the video call|where you meet)\.$/,
    fields,
  ],
  [/^The host of the event type must be one of them\.$/, fields],
  [/^Places are shared only where one host takes the booking\.$/, fields],
  [/^This is none of the durations\.$/, fields],
  [/^This is for a password that you enter\.$/, fields],
  [/^This must be the slug of the tenant\.$/, fields],
  [/^This must be at most \d+\.$/, 'It depends on the current month.'],
  [/^Name a tenant or a partner, not both\.$/, query],
  [/ is named twice\.$/, once],
  [/^Each one can be named only once\.$/, once],
  [/^There is no (?:such )?(?:tenant|partner|member)\b/, record],
  [/^The tenant has no member with this id\.$/, record],
  [/ is not a domain of this tenant\.$/, record],
  [/^This person does not work for a partner\.$/, record],
  [/^This payment method does not belong to this tenant\.$/, record],
  [/^No card of this tenant was entered with this setup intent\.$/, record],
  [/^A plus sign separates a tag\b/, 'Only an address on a domain of the tenant is without it.'],
  [/^The subscription is not in its trial\.$/, record],
  [/ belongs to the platform\.$/, 'It depends on the domain that this installation is set to.'],
  [
    /^(?:This|What follows the @) is not a domain name that can be owned\.$/,
    'The Public Suffix List decides, which has thousands of entries.',
  ],
  [/^A VAT number\b/, 'Its form depends on the country.'],
  [
    /^(?:This is not an address or network\.|An IPv4 address |An IPv6 address )/,
    'Networks have several forms, and none of their bits lies behind the prefix.',
  ],
  [
    /^Use the letters a to z without accents, digits and /,
    'Only an address on a domain of the tenant is held to it.',
  ],
  [
    /^This is (?:not|neither a date such as 2027-06-01 nor) an ISO 8601 time with an offset\.$/,
    '`date-time` allows offsets above 15:59 and the year 0, which PostgreSQL does not read.',
  ],
  [/^The report would begin before 1900-01\./, fields],
  [/^This is after the last month\.$/, fields],
  [/^This (?:month )?is in the future\.$/, 'It depends on the current time.'],
  [/^Unknown field: /, 'The kind of a saved report decides which parameters it has.'],
  [/^Line \d+, column \d+: /, 'The engine of the templates checks them.'],
  [/^A margin cannot hold from a day that is past\.$/, 'It depends on the current day.'],
  [/^This is only allowed together with marginPct\.$/, fields],
  [/^Another rule watches this signal over the same time\.$/, once],
  [/^This must be below 100: no share is larger than that\.$/, fields],
  [/^Include the version that you read,/, fields],
  [/^Enter at most two decimals\.$/, '`multipleOf` of a fraction fails for numbers that have it.'],
  [/^(?:Each tier ends above the one before it|The last tier has no end)\.$/, items],
  [/^Only the last tier has no end\.$/, items],
  [/^This price ends at \d+ seats\.$/, record],
  [/^There is no flag /, record],
  [/^A name cannot contain a web or e-mail address\.$/, 'The top-level domains that exist decide.'],
  [/^No slug can be made from this name\. Enter one\.$/, fields],
  [/^Only for a manual subscription\. /, fields],
  [
    /^(?:Line \d+: |There is no line with column names\.$)/,
    'It is about the lines of a CSV file within one text.',
  ],
]
