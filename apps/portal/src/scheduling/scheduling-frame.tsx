import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { Outlet, useLocation, useParams } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import * as links from '../links.ts'
import classes from './scheduling-frame.module.css'

const t = translations('portal.layout')

/** Around the pages about bookings: the way from one to the other. */
export function SchedulingFrame() {
  const { slug = '' } = useParams({ strict: false })
  const { pathname } = useLocation()
  const nav = useRef<HTMLElement>(null)
  // On a phone not all of them fit: the current one is brought into view.
  useEffect(() => {
    if (pathname)
      nav.current
        ?.querySelector('[aria-current=page]')
        ?.scrollIntoView({ inline: 'nearest', block: 'nearest' })
  }, [pathname])
  return (
    <>
      <nav ref={nav} aria-label={t('pages.scheduling')} className={classes.nav}>
        {pages.map(({ page, target }) => (
          <LinkAnchor
            key={page}
            {...target(slug)}
            className={classes.link}
            underline="never"
            activeOptions={{ includeSearch: false }}
          >
            {t(`pages.${page}`)}
          </LinkAnchor>
        ))}
      </nav>
      <Outlet />
    </>
  )
}

const pages = [
  { page: 'bookings', target: (slug: string) => links.bookings(slug) },
  { page: 'eventTypes', target: (slug: string) => links.eventTypes(slug) },
  { page: 'availability', target: (slug: string) => links.availability(slug) },
  { page: 'hosts', target: (slug: string) => links.hosts(slug) },
  { page: 'bookingPage', target: (slug: string) => links.bookingPage(slug) },
] as const
