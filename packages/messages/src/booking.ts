import { catalogue } from './catalogue.ts'
import deForm from './de/booking/form.json' with { type: 'json' }
import deFrame from './de/booking/frame.json' with { type: 'json' }
import deManage from './de/booking/manage.json' with { type: 'json' }
import deOffers from './de/booking/offers.json' with { type: 'json' }
import deTimes from './de/booking/times.json' with { type: 'json' }
import enForm from './en/booking/form.json' with { type: 'json' }
import enFrame from './en/booking/frame.json' with { type: 'json' }
import enManage from './en/booking/manage.json' with { type: 'json' }
import enOffers from './en/booking/offers.json' with { type: 'json' }
import enTimes from './en/booking/times.json' with { type: 'json' }

/** The booking pages, by domain: `bookingTexts(language)('times.nextWeek')`. */
export const bookingTexts = catalogue({
  en: { form: enForm, frame: enFrame, manage: enManage, offers: enOffers, times: enTimes },
  de: { form: deForm, frame: deFrame, manage: deManage, offers: deOffers, times: deTimes },
})
export type BookingText = ReturnType<typeof bookingTexts>
