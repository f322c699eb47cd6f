package io.waybill.spring.jpa;

import org.hibernate.boot.ResourceStreamLocator;
import org.hibernate.boot.spi.AdditionalMappingContributions;
import org.hibernate.boot.spi.AdditionalMappingContributor;
import org.hibernate.boot.spi.InFlightMetadataCollector;
import org.hibernate.boot.spi.MetadataBuildingContext;

/** Registers {@link OutboxEvent} with Hibernate, whichever packages the application scans for entities. */
public final class OutboxEventMapping implements AdditionalMappingContributor {
    @Override
    public String getContributorName() {
        return "waybill";
    }

    @Override
    public void contribute(
            AdditionalMappingContributions contributions,
            InFlightMetadataCollector metadata,
            ResourceStreamLocator resources,
            MetadataBuildingContext context) {
        if (metadata.getEntityBinding(OutboxEvent.class.getName()) == null) {
            contributions.contributeEntity(OutboxEvent.class);
        }
    }
}
