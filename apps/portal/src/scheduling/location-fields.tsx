import type { LocationKind } from '@atrium/core/scheduling/scheduling'
import { NativeSelect, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { locationNames } from './time-text.ts'

interface Props {
  kind: LocationKind
  location: string
  errors: Readonly<Record<string, ReactNode>>
  disabled?: boolean
  onKind: (kind: LocationKind) => void
  onLocation: (location: string) => void
}

const place: Readonly<
  Record<
    Exclude<LocationKind, 'visitor_phone'>,
    { label: string; placeholder: string; type: 'url' | 'tel' | 'text' }
  >
> = {
  video: {
    label: 'Address of the video call',
    placeholder: 'https://meet.example.com/your-room',
    type: 'url',
  },
  phone: { label: 'Number that visitors call', placeholder: '+49 30 123456', type: 'tel' },
  in_person: { label: 'Where you meet', placeholder: 'Main Street 1, second floor', type: 'text' },
}
const kinds = Object.keys(locationNames) as LocationKind[]

/** How people meet, and what visitors are told of it. */
export function LocationFields({
  kind,
  location,
  errors,
  disabled = false,
  onKind,
  onLocation,
}: Props) {
  return (
    <>
      <NativeSelect
        label="Place"
        data={kinds.map((value) => ({ value, label: locationNames[value] }))}
        value={kind}
        disabled={disabled}
        data-path="locationKind"
        onChange={(event) => onKind(event.currentTarget.value as LocationKind)}
      />
      {kind !== 'visitor_phone' && (
        <TextInput
          {...place[kind]}
          description={
            kind === 'video' ? 'Told to visitors once the booking is confirmed.' : undefined
          }
          required
          maxLength={500}
          disabled={disabled}
          value={location}
          error={errors.location}
          data-path="location"
          onChange={(event) => onLocation(event.currentTarget.value)}
        />
      )}
    </>
  )
}
