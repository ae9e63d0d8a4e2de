/**
 * Rules of the payment processor about the amounts that it charges, verified against
 * docs.stripe.com/currencies. Amounts are whole minor units as `minorUnitDigits` counts them;
 * currencies are lower-cased ISO 4217.
 */
const chargedCurrencies = new Set(
  (
    'aed afn all amd ang aoa ars aud awg azn bam bbd bdt bhd bif bmd bnd bob brl bsd bwp byn bzd cad ' +
    'cdf chf clp cny cop crc cve czk djf dkk dop dzd egp etb eur fjd fkp gbp gel gip gmd gnf gtq gyd ' +
    'hkd hnl htg huf idr ils inr isk jmd jod jpy kes kgs khr kmf krw kwd kyd kzt lak lbp lkr lrd lsl ' +
    'mad mdl mga mkd mmk mnt mop mur mvr mwk mxn myr mzn nad ngn nio nok npr nzd omr pab pen pgk php ' +
    'pkr pln pyg qar ron rsd rub rwf sar sbd scr sek sgd shp sle sos srd std szl thb tjs tnd top try ' +
    'ttd twd tzs uah ugx usd uyu uzs vnd vuv wst xaf xcd xcg xof xpf yer zar zmw'
  ).split(' '),
)

/** Whether the payment processor charges in this currency. */
export function isCharged(currency: string): boolean {
  return chargedCurrencies.has(currency)
}

const threeDecimal = new Set(['bhd', 'jod', 'kwd', 'omr', 'tnd'])
/** Kept with two digits for compatibility, although their cents no longer exist. */
const withoutCents = new Set(['isk', 'ugx'])

/**
 * Amounts of the currency must be multiples of this: the last digit of three is always 0, and so
 * are the cents of ISK and UGX.
 */
export function chargeStep(currency: string): 1 | 10 | 100 {
  if (threeDecimal.has(currency)) return 10
  return withoutCents.has(currency) ? 100 : 1
}

const halfUnit = 'ars aud brl cad chf cop eur idr ils inr nzd php rub sgd usd zar'
const leastCharges = new Map<string, number>([
  ...halfUnit.split(' ').map((currency): [string, number] => [currency, 50]),
  ...Object.entries({
    aed: 200,
    czk: 1500,
    dkk: 250,
    gbp: 30,
    hkd: 400,
    huf: 17_500,
    jpy: 50,
    krw: 50,
    mxn: 1000,
    myr: 200,
    nok: 300,
    pln: 200,
    ron: 200,
    sek: 300,
    thb: 1000,
  }),
])

/**
 * The least amount that is charged. Of currencies without a minimum of their own it is one step:
 * their minimum depends on the day's exchange rate.
 */
export function leastCharge(currency: string): number {
  return leastCharges.get(currency) ?? chargeStep(currency)
}

/**
 * What a whole period of a subscription may cost at most, in minor units: twelve digits are the
 * longest amount that the payment processor charges in any currency.
 */
export const mostPeriodTotal = 999_999_999_999n
