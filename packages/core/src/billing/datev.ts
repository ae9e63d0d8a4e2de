import type { BookkeepingRow } from './bookkeeping.ts'
import { minorUnitDigits } from './minor-units.ts'

/**
 * DATEV-Format, header version 700, category 21 (Buchungsstapel), version 13: 31 fields of the
 * header, 125 columns, `;` between them, CRLF, Windows-1252
 * (developer.datev.de/de/file-format/details/datev-format/format-description/booking-batch).
 */
export interface DatevBatch {
  createdAt: Date
  consultant: number
  client: number
  chart: '03' | '04'
  /** Digits of the accounts that are no personal accounts. */
  accountLength: number
  /** First month of the financial year, 1 to 12. */
  firstMonth: number
  month: string
  currency: string
  label: string
}

export const datevRowsPerBatch = 99_999

const numbered = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => name.replace('#', String(index + 1)))
const pairs = (one: string, other: string, count: number) =>
  Array.from({ length: count }, (_, index) => [
    `${one} ${index + 1}`,
    `${other} ${index + 1}`,
  ]).flat()

/** The names of the columns, which are the second line of the file. */
export const datevColumns: readonly string[] = [
  'Umsatz (ohne Soll/Haben-Kz)',
  'Soll/Haben-Kennzeichen',
  'WKZ Umsatz',
  'Kurs',
  'Basis-Umsatz',
  'WKZ Basis-Umsatz',
  'Konto',
  'Gegenkonto (ohne BU-Schlüssel)',
  'BU-Schlüssel',
  'Belegdatum',
  'Belegfeld 1',
  'Belegfeld 2',
  'Skonto',
  'Buchungstext',
  'Postensperre',
  'Diverse Adressnummer',
  'Geschäftspartnerbank',
  'Sachverhalt',
  'Zinssperre',
  'Beleglink',
  ...pairs('Beleginfo - Art', 'Beleginfo - Inhalt', 8),
  ...numbered('KOST# - Kostenstelle', 2),
  'Kost-Menge',
  'EU-Land u. UStID (Bestimmung)',
  'EU-Steuersatz (Bestimmung)',
  'Abw. Versteuerungsart',
  'Sachverhalt L+L',
  'Funktionsergänzung L+L',
  'BU 49 Hauptfunktionstyp',
  'BU 49 Hauptfunktionsnummer',
  'BU 49 Funktionsergänzung',
  ...pairs('Zusatzinformation - Art', 'Zusatzinformation- Inhalt', 20),
  'Stück',
  'Gewicht',
  'Zahlweise',
  'Forderungsart',
  'Veranlagungsjahr',
  'Zugeordnete Fälligkeit',
  'Skontotyp',
  'Auftragsnummer',
  'Buchungstyp',
  'USt-Schlüssel (Anzahlungen)',
  'EU-Land (Anzahlungen)',
  'Sachverhalt L+L (Anzahlungen)',
  'EU-Steuersatz (Anzahlungen)',
  'Erlöskonto (Anzahlungen)',
  'Herkunft-Kz',
  'Buchungs GUID',
  'KOST-Datum',
  'SEPA-Mandatsreferenz',
  'Skontosperre',
  'Gesellschaftername',
  'Beteiligtennummer',
  'Identifikationsnummer',
  'Zeichnernummer',
  'Postensperre bis',
  'Bezeichnung SoBil-Sachverhalt',
  'Kennzeichen SoBil-Buchung',
  'Festschreibung',
  'Leistungsdatum',
  'Datum Zuord. Steuerperiode',
  'Fälligkeit',
  'Generalumkehr (GU)',
  'Steuersatz',
  'Land',
  'Abrechnungsreferenz',
  'BVV-Position',
  'EU-Land u. UStID (Ursprung)',
  'EU-Steuersatz (Ursprung)',
  'Abw. Skontokonto',
]

const line = (fields: readonly string[]) => `${fields.join(';')}\r\n`
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`

/** The two lines before the rows. */
export function datevHead(batch: DatevBatch): string {
  const [year = 0, month = 0] = batch.month.split('-').map(Number)
  const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate()
  const compact = batch.month.replace('-', '')
  const startYear = month < batch.firstMonth ? year - 1 : year
  return (
    line([
      quoted('EXTF'),
      '700',
      '21',
      quoted('Buchungsstapel'),
      '13',
      batch.createdAt.toISOString().replaceAll(/\D/g, ''),
      '',
      quoted('RE'),
      quoted(''),
      quoted(''),
      String(batch.consultant),
      String(batch.client),
      `${startYear}${String(batch.firstMonth).padStart(2, '0')}01`,
      String(batch.accountLength),
      `${compact}01`,
      `${compact}${lastDay}`,
      quoted(batch.label.slice(0, 30)),
      quoted(''),
      '1',
      '0',
      '0',
      quoted(batch.currency.toUpperCase()),
      '',
      quoted(''),
      '',
      '',
      quoted(batch.chart),
      '',
      '',
      quoted(''),
      quoted(''),
    ]) + line(datevColumns)
  )
}

/** DATEV's amounts have two decimals: a currency with three cannot be written. */
export const hasDatevAmounts = (currency: string) => minorUnitDigits(currency) <= 2

const texts: Readonly<Record<BookkeepingRow['kind'], string>> = {
  invoice: 'Rechnung',
  void: 'Storno',
  credit_note: 'Rechnungskorrektur',
  write_off: 'Ausbuchung',
  payment: 'Zahlung',
  refund: 'Erstattung',
  dispute: 'Zahlungsanfechtung',
  conversion: 'Währungsumrechnung',
  fee: 'Gebühr Zahlungsdienstleister',
  payout: 'Auszahlung Zahlungsdienstleister',
  other: 'Sonstige Bewegung',
  partner_share: 'Partnerprovision',
  partner_payout: 'Auszahlung Partner',
}

/** A row of the batch; empty for an amount of 0, which DATEV rejects. */
export function datevLine(row: BookkeepingRow): string {
  if (row.grossMinor === 0) return ''
  const fields = new Map<string, string>([
    ['Umsatz (ohne Soll/Haben-Kz)', amountOf(Math.abs(row.grossMinor), row.currency)],
    ['Soll/Haben-Kennzeichen', quoted(row.grossMinor > 0 ? 'S' : 'H')],
    ['WKZ Umsatz', quoted(row.currency.toUpperCase())],
    ['Konto', row.debit.number],
    ['Gegenkonto (ohne BU-Schlüssel)', row.credit.number],
    ['BU-Schlüssel', quoted(row.credit.taxKey ?? row.debit.taxKey ?? '')],
    ['Belegdatum', row.date.slice(8, 10) + row.date.slice(5, 7)],
    ['Belegfeld 1', quoted(documentField(row.document ?? row.reference))],
    ['Buchungstext', quoted(bookingText(row))],
    ['Festschreibung', '0'],
    ...euFields(row),
  ])
  return line(datevColumns.map((column) => fields.get(column) ?? ''))
}

function amountOf(minor: number, currency: string): string {
  const digits = minorUnitDigits(currency)
  const written = String(minor).padStart(digits + 1, '0')
  const whole = digits === 0 ? written : written.slice(0, -digits)
  const fraction = digits === 0 ? '' : written.slice(-digits)
  return `${whole},${fraction.padEnd(2, '0')}`
}

/** At most 36 of the characters that the field takes. */
function documentField(text: string): string {
  return text.replaceAll(/[^a-zA-Z0-9$&%*+\-/]/g, '-').slice(0, 36)
}

function bookingText({ kind, tenantSlug, reference }: BookkeepingRow): string {
  return [texts[kind], tenantSlug, reference].filter(Boolean).join(' ').slice(0, 60)
}

/**
 * Reverse charge needs the buyer's VAT number for the recapitulative statement; a sale taxed where
 * the buyer is (OSS), the country and its rate.
 */
function euFields(row: BookkeepingRow): [string, string][] {
  const { taxCategory, taxCountry, taxPercent, vatNumber, taxedAbroad } = row
  if (taxCategory === 'AE' && vatNumber !== null)
    return [['EU-Land u. UStID (Bestimmung)', quoted(vatNumber.slice(0, 15))]]
  if (taxCategory !== 'S' || taxCountry === null || taxPercent === null || !taxedAbroad) return []
  return [
    ['EU-Land u. UStID (Bestimmung)', quoted(taxCountry)],
    ['EU-Steuersatz (Bestimmung)', taxPercent.toFixed(2).padStart(5, '0').replace('.', ',')],
  ]
}
