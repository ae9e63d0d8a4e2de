/**
 * Names of fields that people know by another word than the API does. All others are their name in
 * words.
 */
const labels: Readonly<Record<string, string>> = {
  accentColor: 'accent colour',
  allowPartners: 'partners in the rollout',
  allowPlans: 'plans in the rollout',
  allowTenants: 'tenants in the rollout',
  avatarUrl: 'picture',
  brandColor: 'brand colour',
  cancelAtPeriodEnd: 'cancels at the end of the period',
  currentPeriodEnd: 'end of the period',
  denyTenants: 'tenants out of the rollout',
  embedOrigins: 'sites that embed the page',
  hostIds: 'hosts',
  ipAllowlist: 'IP allowlist',
  marginPct: 'margin',
  mfaMode: 'second factor',
  partnerId: 'partner',
  partnerSlugs: 'partners',
  pct: 'share of mail in percent',
  perSeatAmount: 'price per seat',
  taxBehavior: 'tax of the price',
  periodAmount: 'price per period',
  rua: 'address for reports',
  scheduleId: 'schedule',
  sessionAbsoluteMinutes: 'session length in minutes',
  sessionIdleMinutes: 'session without activity in minutes',
  supportUrl: 'support page',
  trialEnd: 'end of the trial',
  vatNumber: 'VAT number',
}

/**
 * A field as the audit log shows it: `seatMode` is "seat mode", `billingInfo.vatNumber` is "billing
 * VAT number".
 */
export function fieldLabel(field: string): string {
  const parts = field.split('.')
  return parts
    .map((part, index) =>
      index === parts.length - 1
        ? (labels[part] ?? spacedWords(part))
        : spacedWords(part.replace(/Info$/, '')),
    )
    .join(' ')
}

function spacedWords(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .toLowerCase()
}

/** What to look for in the changes of an entry, which are kept as JSON: `{"seats":[4,80]}`. */
export interface ChangeQuery {
  /** All of them are in it. */
  words: string[]
  /** The same with amounts as they are kept, in minor units; empty where the text has none. */
  amounts: string[]
  /** Or one of these: fields that are shown under the text. */
  fields: string[]
}

/**
 * A text as it finds changes: word by word, so that "seats 4 → 80" finds what is shown so, and a
 * field by the name that it is shown under. Words are found in any order and as parts of longer
 * ones.
 */
export function changeQuery(text: string): ChangeQuery {
  const all = text.split(/\s|→|->/).filter((word) => word !== '')
  const said = all.filter((word) => word.toLowerCase() !== 'changed')
  const words = said.length > 0 ? said : [text]
  const amounts = words.map(inMinorUnits)
  const requested = text.trim().toLowerCase()
  return {
    words: words.map(inJson),
    amounts: amounts.some((amount, index) => amount !== words[index]) ? amounts.map(inJson) : [],
    fields: /[\p{L}\p{N}]{3}/u.test(requested)
      ? Object.keys(labels)
          .filter((field) => labels[field]?.toLowerCase().includes(requested))
          .map((field) => `${field}": [`)
      : [],
  }
}

/** "€1,234.50" and "1.234,50" are kept as 123450. Other words stay as they are. */
function inMinorUnits(word: string): string {
  const [, number] = /^\p{Sc}?(\d{1,3}(?:[.,']?\d{3})*[.,]\d\d)\p{Sc}?$/u.exec(word) ?? []
  return number === undefined ? word : String(Number(number.replace(/\D/g, '')))
}

/** A word as it is written within a JSON text. */
const inJson = (word: string) => JSON.stringify(word).slice(1, -1)
