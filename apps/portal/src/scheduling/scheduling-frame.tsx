import { LinkAnchor } from '@atrium/ui/links'
import { Outlet, useLocation, useParams } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import * as links from '../links.ts'
import classes from './scheduling-frame.module.css'

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
      <nav ref={nav} aria-label="Scheduling" className={classes.nav}>
        {pages.map(({ label, target }) => (
          <LinkAnchor
            key={label}
            {...target(slug)}
            className={classes.link}
            underline="never"
            activeOptions={{ includeSearch: false }}
          >
            {label}
          </LinkAnchor>
        ))}
      </nav>
      <Outlet />
    </>
  )
}

const pages = [
  { label: 'Bookings', target: (slug: string) => links.bookings(slug) },
  { label: 'Event types', target: (slug: string) => links.eventTypes(slug) },
  { label: 'Availability', target: (slug: string) => links.availability(slug) },
  { label: 'Hosts', target: (slug: string) => links.hosts(slug) },
  { label: 'Booking page', target: (slug: string) => links.bookingPage(slug) },
] as const
