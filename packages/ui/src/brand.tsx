/** The logo: an arcade around an open court. Decorative, the product's name is always beside it. */
export function BrandMark({ size = 28 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden focusable="false">
      <rect width="32" height="32" rx="8" fill="var(--mantine-primary-color-filled)" />
      <path
        d="M6.5 25.5V16a9.5 9.5 0 0 1 19 0v9.5"
        fill="none"
        stroke="#fff"
        strokeWidth="2.6"
        strokeLinecap="round"
      />
      <path
        d="M11.6 25.5V16a4.4 4.4 0 0 1 8.8 0v9.5"
        fill="none"
        stroke="#fff"
        strokeWidth="2.2"
        strokeLinecap="round"
        opacity="0.72"
      />
      <circle cx="16" cy="24.6" r="1.5" fill="#fff" />
    </svg>
  )
}
