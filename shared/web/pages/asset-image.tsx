import { imagePath } from '../../contract/asset-images.ts';
import type { StoredAsset } from '../../domain/assets/asset-record.ts';
import { addressOf } from '../session/app-url.ts';

export const imageAddress = (
  programId: string,
  { id, image }: Pick<StoredAsset, 'id' | 'image'>,
): string | undefined => (image ? addressOf(imagePath(programId, id, image)).href : undefined);

/** Such as `PNG, 300 × 250 pixels, 12 KB`. */
export const imageText = ({ type, width, height, bytes }: NonNullable<StoredAsset['image']>): string =>
  `${type === 'WEBP' ? 'WebP' : type}, ${width} × ${height} pixels, ${Math.ceil(bytes / 1024).toLocaleString('en')} KB`;

/** Never larger than it is, and never wider than the page. */
export const ShownImage = (props: { src: string; title: string; image: { width: number; height: number } }) => (
  <img
    class="asset-image"
    src={props.src}
    alt={props.title}
    width={props.image.width}
    height={props.image.height}
    loading="lazy"
  />
);
