import { ApiMapping, DomainName } from 'aws-cdk-lib/aws-apigatewayv2';
import { Certificate, CertificateValidation, type ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import { ARecord, HostedZone, type IHostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayv2DomainProperties } from 'aws-cdk-lib/aws-route53-targets';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import type { ApiGateway, LinkGateway } from './api-gateway.ts';

type Domain = NonNullable<Settings['apiDomain']>;

/** A domain of the team's own that leads to the whole of an HTTP API. */
export class CustomDomain extends Construct {
  /** Such as `https://api.example.com`. */
  readonly url: string;
  /** What the domain's DNS record must lead to; there already if the domain's zone is known. */
  readonly dnsTarget: string;

  constructor(
    scope: Construct,
    id: string,
    { name, certificateArn, hostedZone }: Domain,
    api: ApiGateway | LinkGateway,
  ) {
    super(scope, id);
    const zone = hostedZone
      ? HostedZone.fromHostedZoneAttributes(this, 'Zone', { hostedZoneId: hostedZone.id, zoneName: hostedZone.name })
      : undefined;
    const domain = new DomainName(this, 'Name', {
      domainName: name,
      certificate: this.#certificate(name, certificateArn, zone),
    });
    new ApiMapping(this, 'Mapping', { api, domainName: domain, stage: api.servedStage });
    if (zone) {
      const { regionalDomainName, regionalHostedZoneId } = domain;
      new ARecord(this, 'Record', {
        zone,
        recordName: name,
        target: RecordTarget.fromAlias(new ApiGatewayv2DomainProperties(regionalDomainName, regionalHostedZoneId)),
      });
    }
    this.url = `https://${name}`;
    this.dnsTarget = domain.regionalDomainName;
  }

  #certificate(name: string, arn: string | undefined, zone: IHostedZone | undefined): ICertificate {
    if (arn) return Certificate.fromCertificateArn(this, 'Certificate', arn);
    // Without a zone the deployment waits until somebody has made the record that the certificate asks for.
    return new Certificate(this, 'Certificate', {
      domainName: name,
      validation: CertificateValidation.fromDns(zone),
    });
  }
}
